import { createHmac } from "node:crypto";
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
const linePattern = /^((\d{16}) (\d{16}) ([0-9a-f]{64}))(?: ([0-9a-f]{64}))?\n$/;
const lineBytesMax = 2 * (numberDigits + 1) + 2 * (64 + 1);

/** Where a head is: a file in a folder. With the ledger's secret the head is signed, and read only if it is. */
export interface HeadPlace {
  readonly folder: string;
  readonly name?: string;
  readonly secret?: string | undefined;
}

const pathOf = ({ folder, name = headFileName }: HeadPlace) => join(folder, name);

/** A head as a file has it. */
export type ReadHead = Head | "missing" | "unreadable";

export function readHead(place: HeadPlace): ReadHead {
  try {
    return parseLine(readFileSync(pathOf(place), "latin1"), place) ?? "unreadable";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "missing";
    throw error;
  }
}

/**
 * Writes a temporary file and links it into place, so that no reader sees half a line and an existing head is not
 * replaced.
 */
export function createHead(place: HeadPlace, head: Head): void {
  const path = pathOf(place);
  const temporary = `${path}.${process.pid}.tmp`;
  const descriptor = openSync(temporary, "w", 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    writeSync(descriptor, formatLine(head, place));
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
  readonly #place: HeadPlace;
  readonly #descriptor: number;
  #open = true;

  constructor(place: HeadPlace) {
    this.#place = place;
    this.#descriptor = openSync(pathOf(place), "r+");
  }

  /**
   * Writes one line without waiting for the disk: a head that is behind detects less, but is never wrong. The
   * head never goes back, even if another process has advanced it further.
   */
  advance(head: Head): void {
    const line = Buffer.alloc(lineBytesMax);
    const bytes = readSync(this.#descriptor, line, { position: 0 });
    const current = parseLine(line.toString("latin1", 0, bytes), this.#place);
    if (current !== undefined && current.commits >= head.commits) return;
    writeSync(this.#descriptor, formatLine(head, this.#place), 0);
  }

  [Symbol.dispose](): void {
    if (this.#open) closeSync(this.#descriptor);
    this.#open = false;
  }
}

function parseLine(line: string, { secret }: HeadPlace): Head | undefined {
  const parts = linePattern.exec(line);
  if (parts === null) return undefined;
  const [, text = "", commits, seq, hash = "", signature] = parts;
  if (signature !== (secret === undefined ? undefined : signatureOf(text, secret))) return undefined;
  return { commits: Number(commits), seq: Number(seq), hash };
}

function formatLine({ commits, seq, hash }: Head, { secret }: HeadPlace): string {
  const digits = (number: number) => String(number).padStart(numberDigits, "0");
  const text = `${digits(commits)} ${digits(seq)} ${hash}`;
  return `${secret === undefined ? text : `${text} ${signatureOf(text, secret)}`}\n`;
}

function signatureOf(text: string, secret: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}
