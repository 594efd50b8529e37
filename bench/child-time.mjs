import childProcess from "node:child_process";
import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Preloaded into the command that is measured: how long it had at least one child process, so that the rest of its
 * time is its own. Told in the file that CHILD_TIME names.
 */
const { CHILD_TIME: file } = process.env;
delete process.env.CHILD_TIME;
delete process.env.NODE_OPTIONS;
const loadedCpu = cpuMs();
let running = 0;
let since = 0;
let busyMs = 0;
/** Of this process, while it starts others. */
let startCpu = 0;
const byProgram = new Map();

function begin() {
  if (running === 0) since = performance.now();
  running += 1;
}

function end() {
  running -= 1;
  if (running === 0) busyMs += performance.now() - since;
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function starting(start) {
  const before = cpuMs();
  try {
    return start();
  } finally {
    startCpu += cpuMs() - before;
  }
}

function count(program, ms) {
  const [times, total] = byProgram.get(program) ?? [0, 0];
  byProgram.set(program, [times + 1, total + ms]);
}

const { spawn, spawnSync, execFileSync } = childProcess;
childProcess.spawn = (...words) => {
  const at = performance.now();
  begin();
  const child = starting(() => spawn(...words));
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    count(words[0], performance.now() - at);
    end();
  };
  child.on("exit", over);
  child.on("error", over);
  return child;
};
childProcess.execFile = wrapCallback(childProcess.execFile);
for (const [name, call] of Object.entries({ spawnSync, execFileSync }))
  childProcess[name] = (...words) => {
    const at = performance.now();
    begin();
    try {
      return starting(() => call(...words));
    } finally {
      count(words[0], performance.now() - at);
      end();
    }
  };
syncBuiltinESMExports();

/** `execFile` calls the `spawn` inside, not the one above. */
function wrapCallback(execFile) {
  const wrapped = (...words) => {
    const at = performance.now();
    begin();
    const child = starting(() => execFile(...words));
    child.on("close", () => {
      count(words[0], performance.now() - at);
      end();
    });
    return child;
  };
  const custom = Symbol.for("nodejs.util.promisify.custom");
  wrapped[custom] = (...words) =>
    new Promise((resolve, reject) => {
      wrapped(...words, (error, stdout, stderr) =>
        error ? reject(Object.assign(error, { stdout, stderr })) : resolve({ stdout, stderr }),
      );
    });
  return wrapped;
}

process.on("exit", () => {
  if (file === undefined) return;
  const wallMs = performance.now();
  const { maxRSS } = process.resourceUsage();
  const programs = Object.fromEntries(byProgram);
  writeFileSync(file, JSON.stringify({ wallMs, busyMs, cpuMs: cpuMs(), startCpu, loadedCpu, maxRSS, programs }));
});
