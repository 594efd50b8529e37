import childProcess from "node:child_process";
import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";

/**
 * Preloaded into the measured command. Measures its own time, the time for starting other programs, and the time in
 * which at least one of those was running. Writes the result to the file in CHILD_TIME.
 */
const { CHILD_TIME: file } = process.env;
delete process.env.CHILD_TIME;
delete process.env.NODE_OPTIONS; // its children are not measured
let running = 0;
let since = 0;
let childMs = 0;
let startCpuMs = 0;
let started = 0;

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Marks the start of a child; the returned function marks its end. */
function begin() {
  if (running === 0) since = performance.now();
  running += 1;
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    running -= 1;
    if (running === 0) childMs += performance.now() - since;
  };
}

/** The memory at every 25th start: its development over the tasks. */
const everyStarts = 25;
const memory = [];

function startOne(start) {
  const over = begin();
  started += 1;
  if (started % everyStarts === 0) memory.push(process.memoryUsage.rss());
  const before = cpuMs();
  try {
    return { value: start(), over };
  } finally {
    startCpuMs += cpuMs() - before;
  }
}

const { spawn, spawnSync, execFile, execFileSync } = childProcess;

/** A git process that answers several questions: it counts as running from a question to the next output. */
const lasting = new Set(["--batch", "--batch-command", "--stdin-paths", "--stdin"]);

childProcess.spawn = (...words) => {
  const { value: child, over } = startOne(() => spawn(...words));
  if (words[2]?.detached && words[1]?.some((word) => lasting.has(word))) {
    let answered = over;
    const { write } = child.stdin;
    child.stdin.write = (...question) => {
      const before = answered;
      answered = begin();
      before();
      return write.apply(child.stdin, question);
    };
    child.stdout.on("data", () => answered());
    child.on("exit", () => answered());
    return child;
  }
  child.on("exit", over);
  child.on("error", over);
  return child;
};

/** Calls the inner `spawn`, not the one above. */
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
  const tenthBytes = Math.max(0, ...memory.slice(0, Math.ceil(memory.length / 10)));
  writeFileSync(file, JSON.stringify({ ...times, started, tenthBytes, peakBytes }));
});
