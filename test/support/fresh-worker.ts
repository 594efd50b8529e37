import { workerStart } from "./worker-start.ts";

// Before each file: changes of the environment by an earlier file of the same worker are undone.
for (const name of Object.keys(process.env)) if (!(name in workerStart.env)) delete process.env[name];
Object.assign(process.env, workerStart.env);
process.chdir(workerStart.folder);
