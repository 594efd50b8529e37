import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** For this long no other process tries to start the server. */
const startMsMax = 5000;

export interface ServerPlace {
  readonly folder: string;
  /** The folder in which the server is started: the project's root. */
  readonly root: string;
  /** The script `lockstep`, for Node. */
  readonly program: string;
  /** Checked after this process has the right to start: another server may have started in the meantime. */
  isNeeded(): boolean;
}

/**
 * The server runs for hours next to other work, so low memory matters more than a tenth of a call that takes a
 * millisecond.
 */
export const serverFlags = ["--optimize-for-size"];

/**
 * Starts `lockstep serve` in the background. Of several callers only one starts it; the server's own lock ensures that
 * only one runs.
 */
export function startServer({ folder, root, program, isNeeded }: ServerPlace): void {
  const starting = join(folder, "starting");
  if (!isFirst(starting)) return;
  if (!isNeeded()) {
    rmSync(starting, { force: true });
    return;
  }
  const { spawn } = process.getBuiltinModule("node:child_process");
  const log = openSync(serverLog(folder), "w", 0o600);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));
  spawn(process.execPath, [...serverFlags, program, "serve"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", log, log],
    env,
  })
    .on("error", () => {}) // the hook reports that no server came up
    .unref();
  closeSync(log);
}

export function serverLog(folder: string): string {
  return join(folder, "serve.log");
}

/**
 * The hook inherits the client's environment, including API keys. The server gets only these variables: the usual ones,
 * and what opens a shared ledger. Without the latter it would use the ledger of this machine and know of no task.
 */
const kept =
  /^(?:PATH|HOME|LANG|TMPDIR|XDG_(?:RUNTIME_DIR|STATE_HOME|CONFIG_HOME)|LOCKSTEP_(?:LEDGER_URL|MACHINE)|PG[A-Z]+)$/;

function isFirst(file: string): boolean {
  if (mark(file)) return true;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && Math.abs(Date.now() - found.mtimeMs) < startMsMax) return false;
  rmSync(file, { force: true });
  return mark(file);
}

function mark(file: string): boolean {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
