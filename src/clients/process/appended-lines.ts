import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { PrintedLines } from "./printed-lines.ts";

/** More than any client writes between two of its messages. */
const bytesMax = 64 * 1024 * 1024;

/** Agents can write to their clients' record folders, so links are not followed and pipes do not block. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A file that a client appends to, line by line. */
export class AppendedLines {
  readonly #file: string;
  readonly #lines: PrintedLines;
  #found: string[] = [];
  #at = 0;

  constructor(file: string) {
    this.#file = file;
    this.#lines = new PrintedLines((line) => this.#found.push(line), bytesMax);
  }

  /** The complete lines since the last call. */
  next(): readonly string[] {
    const chunk = this.#read();
    if (chunk !== undefined) this.#lines.add(chunk);
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #read(): Buffer | undefined {
    const descriptor = openIfThere(this.#file);
    if (descriptor === undefined) return undefined;
    try {
      const status = fstatSync(descriptor);
      if (!status.isFile() || status.size <= this.#at) return undefined;
      this.#at = Math.max(this.#at, status.size - bytesMax);
      const chunk = Buffer.alloc(status.size - this.#at);
      const read = readSync(descriptor, chunk, 0, chunk.length, this.#at);
      this.#at += read;
      return chunk.subarray(0, read);
    } finally {
      closeSync(descriptor);
    }
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, flags);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

const absences: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EACCES"]);

/** True if the file is missing, or if something else is at its path. */
export function isAbsence(error: unknown): boolean {
  return absences.has((error as NodeJS.ErrnoException).code);
}
