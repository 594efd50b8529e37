import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { headFileName } from "../audit-head.ts";
import type { StoreFault } from "../store-fault.ts";
import { reserveName } from "./reserve.ts";
import { storeFault } from "./translate-error.ts";

export const databaseName = "state.db";

export interface FilesOptions {
  readonly folder: string;
  readonly create: boolean;
  /** The name of the network file system that the folder is on, if it is on one. */
  readonly fileSystemOf?: ((folder: string) => string | undefined) | undefined;
}

/** Refuses files that must not be opened, and creates an empty file for a new ledger. */
export function prepareFiles({ folder, create, fileSystemOf }: FilesOptions): string {
  const path = join(folder, databaseName);
  if (create) mkdirSync(folder, { recursive: true, mode: 0o700 });
  else if (!existsSync(folder)) throw nothingThere(path);
  const fileSystem = fileSystemOf?.(folder);
  if (fileSystem !== undefined) throw storeFault("network", path, { why: fileSystem });
  // Without this check, SQLite would open the file read-only and fail later with an unhelpful error.
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  // Checked before the database: both files are created after it, so if they exist now, the database existed too.
  const remains = existsSync(join(folder, headFileName)) || existsSync(`${path}-wal`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) return path;
  if (remains) throw storeFault("lost", path, { why: `${databaseName} is missing or empty` });
  if (!create) throw nothingThere(path);
  createEmpty(folder, path);
  return path;
}

function nothingThere(path: string): StoreFault {
  const why = "nothing has been recorded there yet: the first command that records something creates it";
  return storeFault("gone", path, { why });
}

/**
 * An existing file is never opened here: closing a file drops all locks that this process has on it, including
 * those of SQLite. SQLite gives its other files the mode of this one.
 */
function createEmpty(folder: string, path: string): void {
  try {
    const descriptor = openSync(path, "wx", 0o600);
    fchmodSync(descriptor, 0o600);
    closeSync(descriptor);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncFolder(folder);
}

/** Restricts the modes of files that were created, copied or unpacked with wider ones. */
export function narrowModes(folder: string): void {
  const names = [databaseName, `${databaseName}-wal`, `${databaseName}-shm`, headFileName, reserveName];
  for (const name of names) {
    const mode = statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) !== 0) chmodSync(join(folder, name), 0o600);
  }
}

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Distinguishes a file from another one under the same name. */
export function identityOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.dev} ${stat.ino}`;
}

/** The identity of the files that an open database holds. */
export function identityOfOpen(path: string): string {
  return `${identityOf(path)}, ${identityOf(`${path}-wal`)}`;
}

/** A limit, because a process that keeps writing to a damaged ledger could fill the disk with copies. */
const copiesMax = 3;

/**
 * Copies a refused ledger before it is closed: closing empties the write-ahead log, and the copy protects the
 * user who restores another ledger over it. The file itself is not moved, because other processes may have it
 * open and would continue in it unnoticed.
 */
export function keepRefused(path: string, why: "corrupt" | "lost"): string | undefined {
  const prefix = `${path}.${why}-`;
  try {
    const folder = dirname(path);
    const copies = readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((name) => name.startsWith(prefix) && !name.endsWith("-wal"));
    const { mtimeMs } = statSync(path);
    const kept = copies.find((copy) => statSync(copy).mtimeMs >= mtimeMs);
    if (kept !== undefined || copies.length >= copiesMax) return kept;
    const copy = `${prefix}${new Date().toISOString().replace(/[-:.]/g, "")}`;
    for (const end of hasLog(path) ? ["-wal", ""] : [""])
      copyFileSync(path + end, copy + end, constants.COPYFILE_FICLONE);
    return copy;
  } catch {
    // For example, the disk is full. The ledger itself is still there.
    return undefined;
  }
}

/** Whether the write-ahead log has content that closing would move into the database. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
