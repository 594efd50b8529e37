import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

const pauseMs = 4;
/** Well below the guard's own deadline. After this wait the call fails, and the guard decides what that means. */
const waitMsMax = 1500;
/** A process holds the lock for a few milliseconds, unless the machine sleeps. */
const abandonedMs = 5000;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

class StateLockFault extends Error {
  override readonly name = "StateLockFault";
  readonly code = "E-STORE";
  readonly retryable = true;
}

/**
 * Only one process at a time changes the states of a folder. Otherwise hooks of parallel calls would miss each other's
 * reads.
 */
export function withStateLock<Result>(folder: string, act: () => Result): Result {
  const file = join(folder, "orchestrator-session-state.lock");
  take(file);
  try {
    return act();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): void {
  for (let waitedMs = 0; !create(file); waitedMs += pauseMs) {
    if (waitedMs >= waitMsMax)
      throw new StateLockFault(
        `\`${file}\` is held by another process: try again, or delete the file if no \`lockstep\` process is running`,
      );
    if (!removeAbandoned(file)) Atomics.wait(sleeper, 0, 0, pauseMs);
  }
}

function create(file: string): boolean {
  try {
    const descriptor = openSync(file, "wx", 0o600);
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Renamed first, so that only one of several processes removes it. The inode check restores a lock taken meanwhile. */
function removeAbandoned(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !isAbandoned(file, found.mtimeMs)) return found === undefined;
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (statSync(aside).ino !== found.ino) linkSync(aside, file);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EEXIST") throw error;
  }
  rmSync(aside, { force: true });
  return true;
}

function isAbandoned(file: string, mtimeMs: number): boolean {
  if (Date.now() - mtimeMs > abandonedMs) return true;
  try {
    const pid = Number(readFileSync(file, "utf8"));
    if (Number.isSafeInteger(pid) && pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
