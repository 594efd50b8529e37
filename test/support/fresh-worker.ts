import { workerStart } from "./worker-start.ts";

// Before each file: what an earlier file of the same worker left in the environment is not there.
for (const name of Object.keys(process.env)) if (!(name in workerStart.env)) delete process.env[name];
Object.assign(process.env, workerStart.env);
process.chdir(workerStart.folder);
