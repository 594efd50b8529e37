import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const graceMs = 3_000;
const goneMsMax = 5_000;
const pauseMs = 50;

/**
 * The processes of an attempt: all processes with its token in their environment, in any process group or session. Other
 * processes do not have the token, so a reused pid is not mistaken for one of them. On systems where environments cannot
 * be read, such as macOS, none are found.
 */
export function findAgentProcesses(token: string, processes = "/proc"): readonly number[] {
  const wanted = `LOCKSTEP_TOKEN=${token}`;
  return namesIn(processes)
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(join(processes, name)).includes(wanted))
    .map(Number);
}

/** Sends SIGTERM first, then SIGKILL. */
export async function endAgentProcesses(token: string): Promise<void> {
  await signalUntilGone(token, "SIGTERM", graceMs);
  await signalUntilGone(token, "SIGKILL", goneMsMax);
}

async function signalUntilGone(token: string, signal: NodeJS.Signals, msMax: number): Promise<void> {
  const deadline = performance.now() + msMax;
  const signalled = new Set<number>();
  for (;;) {
    const found = findAgentProcesses(token);
    if (found.length === 0 || performance.now() > deadline) return;
    for (const pid of found.filter((one) => !signalled.has(one))) {
      signalled.add(pid);
      signalProcess(pid, signal);
    }
    await sleep(pauseMs);
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function environmentOf(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, "environ"), "latin1").split("\0");
  } catch {
    return []; // the process has ended, or belongs to another user
  }
}
