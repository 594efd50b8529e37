import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** So long nobody else tries, whether the server is slow to start or cannot. */
const startMsMax = 5000;

export interface ServerPlace {
  /** The repository's state folder. */
  readonly folder: string;
  /** Where the server is started: the project's root. */
  readonly root: string;
  /** The program `lockstep`, for Node. */
  readonly program: string;
  /** Asked once nobody else can start one: a server may have come up meanwhile. */
  isNeeded(): boolean;
}

/** It stays for hours beside other work: half the memory is worth a tenth of a call that takes a millisecond. */
export const serverFlags = ["--optimize-for-size"];

/** Starts `lockstep serve` on its own. Of many that ask at once one does; that there is only one server, its lock says. */
export function startServer({ folder, root, program, isNeeded }: ServerPlace): void {
  const starting = join(folder, "starting");
  if (!isFirst(starting)) return;
  if (!isNeeded()) {
    rmSync(starting, { force: true });
    return;
  }
  const { spawn } = process.getBuiltinModule("node:child_process");
  const log = openSync(serverLog(folder), "w", 0o600);
  const env = Object.fromEntries(kept.flatMap((name) => [[name, process.env[name]]]));
  spawn(process.execPath, [...serverFlags, program, "serve"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", log, log],
    env,
  })
    .on("error", () => {}) // the hook waits for it in vain, and says so
    .unref();
  closeSync(log);
}

export function serverLog(folder: string): string {
  return join(folder, "serve.log");
}

/** A hook's environment is its client's, keys and all: the server gets nothing of that. */
const kept = ["PATH", "HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"];

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
