import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { messageBytesMax, type TextPart } from "../../contract/board.ts";
import { isHere } from "../../core/leases/lease.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Decision, LogTail } from "../../ledger/ledger.ts";
import { taskLogFile } from "../../run/landing/work/task-logs.ts";
import { gateDocuments } from "../../session/files/gate-documents.ts";
import { harmlessJson } from "./bounded.ts";
import type { BoardPlace } from "./look.ts";

const readBytesMax = 32 * 1024;
const textBytesMax = messageBytesMax - 2048;
const lineLengthMax = 4000;
const newline = 0x0a;

/** A part of a file that begins and ends at a line break, if the lines are not too long for that. */
function partOfFile(
  file: string,
  { from, end }: { readonly from?: number; readonly end?: number },
): TextPart | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(descriptor);
    const last = Math.min(end ?? size, size);
    const first = Math.min(from ?? Math.max(0, last - readBytesMax), size);
    const bytes = Buffer.alloc(Math.max(0, Math.min(readBytesMax, last - first)));
    const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, first));
    return fittingPart(from === undefined ? fromLineStart(read, first) : toLineEnd(read, first, last), size);
  } finally {
    closeSync(descriptor);
  }
}

interface Piece {
  readonly bytes: Buffer;
  readonly from: number;
}

function fromLineStart(bytes: Buffer, from: number): Piece {
  const start = from === 0 ? 0 : bytes.indexOf(newline) + 1;
  return { bytes: bytes.subarray(start), from: from + start };
}

function toLineEnd(bytes: Buffer, from: number, last: number): Piece {
  const isRest = from + bytes.length >= last;
  const end = isRest ? bytes.length : bytes.lastIndexOf(newline) + 1;
  return { bytes: bytes.subarray(0, end === 0 ? bytes.length : end), from };
}

/** Control characters take six times their size in JSON, so the size of the text is measured as it is sent. */
function fittingPart({ bytes, from }: Piece, size: number): TextPart {
  let piece = bytes;
  for (;;) {
    const text = shortLines(piece.toString("utf8"));
    if (Buffer.byteLength(harmlessJson(text, { coloured: true })) <= textBytesMax || piece.length < 2) {
      const next = from + piece.length;
      return { from, next: next < size ? next : null, size, text };
    }
    piece = piece.subarray(0, Math.floor(piece.length / 2));
  }
}

function shortLines(text: string): string {
  if (text.length <= lineLengthMax) return text;
  return text
    .split("\n")
    .map((line) =>
      line.length <= lineLengthMax
        ? line
        : `${line.slice(0, lineLengthMax)}… (${line.length - lineLengthMax} more characters)`,
    )
    .join("\n");
}

interface Range {
  readonly from?: number;
  readonly end?: number;
}

/** The end of a task's log, the part before `end`, or the part from `from` on. Of another machine's log, only the end. */
export async function logPart(
  { engine, folder }: Pick<BoardPlace, "engine" | "folder">,
  task: string,
  range: Range,
): Promise<TextPart | undefined> {
  const attempt = engine.machine === undefined ? undefined : await engine.ledger.attempt(task);
  if (attempt === undefined || isHere(attempt, engine.machine))
    return partOfFile(taskLogFile(folder, task), range);
  const tails = (await engine.ledger.logs?.ask(task)) ?? [];
  const tail = tails.find(({ machine }) => machine === attempt.machine);
  return tail === undefined ? undefined : partOfTail(tail, range);
}

function partOfTail({ text, from: start }: LogTail, { from = start, end }: Range): TextPart {
  const bytes = Buffer.from(text);
  const size = start + bytes.length;
  const first = Math.min(Math.max(from, start), size);
  const last = Math.max(first, Math.min(end ?? size, size));
  return fittingPart({ bytes: bytes.subarray(first - start, last - start), from: first }, size);
}

/** The whole output of a recorded check, in parts. */
export async function outputPart(
  { engine, folder }: Pick<BoardPlace, "engine" | "folder">,
  { task, check, from }: { readonly task: string; readonly check: number; readonly from: number },
): Promise<TextPart | undefined> {
  const found = (await engine.ledger.task(task))?.evidence[check - 1];
  const file = found === undefined ? undefined : outputFile(folder, found);
  return file === undefined ? undefined : partOfFile(file, { from });
}

/** The file with the whole output, if this machine has it. */
export function outputFile(folder: string, found: Task["evidence"][number]): string | undefined {
  const runs = "after" in found ? [found.after, found.before] : [found];
  const log = runs.find((run) => run?.log !== undefined)?.log;
  const outputs = join(folder, "logs", "checks");
  // The ledger names a file; only outputs of checks are shown.
  return log !== undefined && resolve(log).startsWith(`${outputs}${sep}`) && existsSync(log)
    ? log
    : undefined;
}

/** The documents that a question is about, or what changed in them since the person was last asked. */
export function documentPart(
  { folder }: Pick<BoardPlace, "folder">,
  decision: Decision,
  { changes, from }: { readonly changes: boolean; readonly from: number },
): TextPart | undefined {
  const documents = gateDocuments(folder);
  const text = changes ? documents.changes(decision) : documents.show(decision);
  return text === undefined ? undefined : partOfText(text, from);
}

export function partOfText(text: string, from: number): TextPart {
  const bytes = Buffer.from(text);
  const rest = bytes.subarray(from, from + readBytesMax);
  return fittingPart(toLineEnd(rest, from, bytes.length), bytes.length);
}
