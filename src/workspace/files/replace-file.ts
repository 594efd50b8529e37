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
  /** Of a new file, as far as the umask lets it be; 0o600 where it is not given. */
  readonly mode?: number;
  /** A file that is there already keeps its mode. */
  readonly keepsMode?: boolean;
  /** Also after the machine itself has crashed. */
  readonly durable?: boolean;
}

/** For files that people see and commit. */
export const projectFile: Replacing = { mode: 0o666, durable: true };

/**
 * Writes a file so that anyone who reads it finds the old content or the new one, also after a crash of this process. A
 * link in its place is replaced, not followed.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, keepsMode = false, durable = false }: Replacing = {},
): void {
  const kept = keepsMode ? statSync(path, { throwIfNoEntry: false })?.mode : undefined;
  // Also a process in a sandbox may have this id.
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

/** A name is part of its folder, and is safe only once that is. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
