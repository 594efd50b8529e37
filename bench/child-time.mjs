import childProcess from "node:child_process";
import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";

/**
 * Preloaded into the command that is measured: what it spends on itself, on starting other programs, and how long at
 * least one of those was running. Told in the file that CHILD_TIME names.
 */
const { CHILD_TIME: file } = process.env;
delete process.env.CHILD_TIME;
delete process.env.NODE_OPTIONS; // what it starts is not measured
let running = 0;
let since = 0;
let childMs = 0;
let startCpuMs = 0;
let started = 0;

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Starts a program; what is returned is called when it has ended. */
function startOne(start) {
  const before = cpuMs();
  if (running === 0) since = performance.now();
  running += 1;
  started += 1;
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    running -= 1;
    if (running === 0) childMs += performance.now() - since;
  };
  try {
    return { value: start(), over };
  } finally {
    startCpuMs += cpuMs() - before;
  }
}

const { spawn, spawnSync, execFile, execFileSync } = childProcess;

childProcess.spawn = (...words) => {
  // The reader of objects stays, and mostly waits for a question.
  if (words[1]?.includes("--batch-command")) return spawn(...words);
  const { value: child, over } = startOne(() => spawn(...words));
  child.on("exit", over);
  child.on("error", over);
  return child;
};

/** It calls the `spawn` inside, not the one above. */
childProcess.execFile = (...words) => {
  const { value: child, over } = startOne(() => execFile(...words));
  child.on("close", over);
  child.on("error", over);
  return child;
};
childProcess.execFile[promisify.custom] = (...words) =>
  new Promise((resolve, reject) => {
    childProcess.execFile(...words, (error, stdout, stderr) =>
      error ? reject(Object.assign(error, { stdout, stderr })) : resolve({ stdout, stderr }),
    );
  });

for (const [name, call] of Object.entries({ spawnSync, execFileSync }))
  childProcess[name] = (...words) => {
    const { value, over } = startOne(() => call(...words));
    over();
    return value;
  };
syncBuiltinESMExports();

process.on("exit", () => {
  if (file === undefined) return;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const times = { wallMs: performance.now(), childMs, cpuMs: cpuMs(), startCpuMs };
  writeFileSync(file, JSON.stringify({ ...times, started, peakBytes }));
});
