/** What a worker began with. It runs many files one after another and loads this once. */
export const workerStart = { env: { ...process.env }, folder: process.cwd() };
