import { createHash, randomUUID } from "node:crypto";
import {
  type BigIntStats,
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readCallFiles, sweepFiles } from "../world/call-file.ts";

/** The name of a copy, or why there is none. */
export type Copied = { readonly copy: string } | { readonly why: string };

const megabyte = 1024 * 1024;
const fileBytesMax = 50 * megabyte;
/**
 * How much one picture copies at most, so that it is quick in a folder with many uncommitted files. The next picture
 * copies more.
 */
const lookBytesMax = 100 * megabyte;
const lookFilesMax = 2_000;

/** A file that changed this recently can change again with the same mark. */
const settledMs = 100;
/** An unused copy is kept this long, because another process may be about to use it. */
const ageMsMax = 10 * 60 * 1000;

const prefix = "copy-";
const named = /copy-[0-9a-f-]+/g;

/** Copies of file contents, one for each state of a file. For a link, the copy holds its target. */
export class Copies {
  readonly #folder: string;
  #bytes = lookBytesMax;
  #files = lookFilesMax;

  constructor(folder: string) {
    this.#folder = folder;
  }

  take(file: Buffer, found: BigIntStats): Copied {
    if (found.isDirectory()) return { why: "it is a nested git repository" };
    if (!found.isFile() && !found.isSymbolicLink()) return { why: "it is not an ordinary file" };
    if (found.size > fileBytesMax) return { why: `it is larger than ${fileBytesMax / megabyte} MB` };
    const isSettled = Date.now() - Number(found.ctimeMs) > settledMs;
    const state = createHash("sha256")
      .update(file)
      .update(`\0${markOf(found)}`)
      .digest("hex")
      .slice(0, 32);
    const copy = `${prefix}${state}${isSettled ? "" : `-${randomUUID()}`}`;
    if (isSettled && this.#isThere(copy)) return { copy };
    if (this.#files <= 0 || this.#bytes < found.size)
      return { why: "there are more uncommitted files than Lockstep copies at once" };
    this.#files -= 1;
    this.#bytes -= Number(found.size);
    return this.#make(copy, file, found);
  }

  #make(copy: string, file: Buffer, found: BigIntStats): Copied {
    const made = join(this.#folder, `${prefix}new-${randomUUID()}`);
    try {
      if (found.isSymbolicLink()) writeFileSync(made, readlinkSync(file, { encoding: "buffer" }));
      else copyFileSync(file, made, constants.COPYFILE_FICLONE);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["ENOENT", "EACCES", "EPERM", "EINVAL"].includes(code)) throw error;
      return { why: `it cannot be read (${code})` };
    }
    chmodSync(made, 0o600);
    const now = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (now === undefined || markOf(now) !== markOf(found)) return { why: "it was being written" };
    renameSync(made, join(this.#folder, copy));
    return { copy };
  }

  /** Refreshes the copy's time, so that it is not swept. */
  #isThere(copy: string): boolean {
    const now = new Date();
    try {
      utimesSync(join(this.#folder, copy), now, now);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }
}

/** Changes whenever a file is written, but not when it is read. */
export function markOf({ mtimeNs, ctimeNs, size, ino, mode }: BigIntStats): string {
  return [mtimeNs, ctimeNs, size, ino, mode].join(" ");
}

export function isSameCopy(folder: string, one: string, other: string): boolean {
  return readFileSync(join(folder, one)).equals(readFileSync(join(folder, other)));
}

/** Removes copies that no recorded picture refers to. */
export function sweepCopies(folder: string, nowMs: number): void {
  const needed = new Set(readCallFiles(folder).match(named));
  sweepFiles(folder, prefix, nowMs - ageMsMax, (name) => needed.has(name));
}
