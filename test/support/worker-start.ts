/** The initial state of a worker. A worker runs many files one after another and loads this once. */
export const workerStart = { env: { ...process.env }, folder: process.cwd(), heapBytes: 0 };
