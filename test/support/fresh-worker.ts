import { workerStart } from "./worker-start.ts";

const garbageBytesMax = 48 * 1024 * 1024;

// Before each file: changes of the environment by an earlier file of the same worker are undone.
for (const name of Object.keys(process.env)) if (!(name in workerStart.env)) delete process.env[name];
Object.assign(process.env, workerStart.env);
process.chdir(workerStart.folder);

// To start a process, the kernel copies the page table of the worker: its garbage would make each start slower.
const { heapTotal } = process.memoryUsage();
if (heapTotal > workerStart.heapBytes + garbageBytesMax) {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  workerStart.heapBytes = process.memoryUsage().heapTotal;
}
