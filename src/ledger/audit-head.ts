import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Tail } from "./event-chain.ts";

/**
 * The number and hash of the last stored event, kept in a file outside the ledger. It reveals a ledger that was
 * truncated, replaced by an older copy or deleted. Commits are counted too, because some commits have no event.
 */
export interface Head extends Tail {
  readonly commits: number;
}

export const headFileName = "audit.head";

const numberDigits = 16;
const linePattern = /^(\d{16}) (\d{16}) ([0-9a-f]{64})\n$/;
const lineBytes = 2 * (numberDigits + 1) + 64 + 1;

/** A head as a file has it. */
export type ReadHead = Head | "missing" | "unreadable";

export function readHead(folder: string, name = headFileName): ReadHead {
  try {
    return parseLine(readFileSync(join(folder, name), "latin1")) ?? "unreadable";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "missing";
    throw error;
  }
}

/**
 * Writes a temporary file and links it into place, so that no reader sees half a line and an existing head is not
 * replaced.
 */
export function createHead(folder: string, head: Head, name = headFileName): void {
  const path = join(folder, name);
  const temporary = `${path}.${process.pid}.tmp`;
  const descriptor = openSync(temporary, "w", 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    writeSync(descriptor, formatLine(head));
    fsyncSync(descriptor);
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(temporary);
  }
}

/** The head file of an open ledger. */
export class HeadFile implements Disposable {
  readonly #descriptor: number;
  #open = true;

  constructor(folder: string, name = headFileName) {
    this.#descriptor = openSync(join(folder, name), "r+");
  }

  /**
   * Writes one line without waiting for the disk: a head that is behind detects less, but is never wrong. The
   * head never goes back, even if another process has advanced it further.
   */
  advance(head: Head): void {
    const line = Buffer.alloc(lineBytes);
    readSync(this.#descriptor, line, { position: 0 });
    const current = parseLine(line.toString("latin1"));
    if (current !== undefined && current.commits >= head.commits) return;
    writeSync(this.#descriptor, formatLine(head), 0);
  }

  [Symbol.dispose](): void {
    if (this.#open) closeSync(this.#descriptor);
    this.#open = false;
  }
}

function parseLine(line: string): Head | undefined {
  const parts = linePattern.exec(line);
  return parts === null
    ? undefined
    : { commits: Number(parts[1]), seq: Number(parts[2]), hash: parts[3] as string };
}

function formatLine({ commits, seq, hash }: Head): string {
  const digits = (number: number) => String(number).padStart(numberDigits, "0");
  return `${digits(commits)} ${digits(seq)} ${hash}\n`;
}
