import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const graceMs = 3_000;
const goneMsMax = 5_000;
const pauseMs = 50;

/**
 * The processes of an attempt: all that was started with its token, whatever group or session they moved to. The
 * token is in their environment and in nobody else's, so that no process which got an old pid is taken for one of
 * them. Where environments cannot be read, as on macOS, none are found.
 */
export function findAgentProcesses(token: string, processes = "/proc"): readonly number[] {
  const wanted = `LOCKSTEP_TOKEN=${token}`;
  return namesIn(processes)
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(join(processes, name)).includes(wanted))
    .map(Number);
}

/** They are asked first, then made. */
export async function endAgentProcesses(token: string): Promise<void> {
  await signalUntilGone(token, "SIGTERM", graceMs);
  await signalUntilGone(token, "SIGKILL", goneMsMax);
}

async function signalUntilGone(token: string, signal: NodeJS.Signals, msMax: number): Promise<void> {
  const deadline = performance.now() + msMax;
  const told = new Set<number>();
  for (;;) {
    const found = findAgentProcesses(token);
    if (found.length === 0 || performance.now() > deadline) return;
    for (const pid of found.filter((one) => !told.has(one))) {
      told.add(pid);
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
    return []; // it has ended, or is another user's
  }
}
