import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

interface Replacing {
  /** The mode of a new file, before the umask; 0o600 by default. */
  readonly mode?: number;
  /** An existing file keeps its mode. */
  readonly keepsMode?: boolean;
  /** Synced to disk, so that it survives a crash of the machine. */
  readonly durable?: boolean;
}

/** For files that users see and commit. */
export const projectFile: Replacing = { mode: 0o666, durable: true };

/**
 * Replaces a file atomically: readers see the old content or the new one, also after a crash of this process. A link at
 * the path is replaced, not followed.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, keepsMode = false, durable = false }: Replacing = {},
): void {
  const kept = keepsMode ? statSync(path, { throwIfNoEntry: false })?.mode : undefined;
  // The pid alone is not unique: a process in a sandbox may have the same one.
  const temporary = `${path}.${process.pid}-${process.hrtime.bigint()}.tmp`;
  try {
    writeFileSync(temporary, content, { flag: "wx", mode, flush: durable });
    if (kept !== undefined) chmodSync(temporary, kept & 0o7777);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durable) syncFolder(dirname(path));
}

/** Syncs a folder, which contains the names of its files. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
