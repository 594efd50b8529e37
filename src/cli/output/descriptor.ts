import { fstatSync, readSync, writeSync } from "node:fs";

const chunkBytes = 64 * 1024;
const pauseMs = 2;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Reads a descriptor to its end, or to one byte beyond the limit. */
export function readAll(descriptor: number, bytesMax: number): Uint8Array {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= bytesMax; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, bytesMax + 1 - size));
    const read = whenReady(() => readSync(descriptor, chunk));
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  return Buffer.concat(chunks);
}

/** For clients that treat no answer as an allow: a failed write throws. */
export function writeOrThrow(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; )
    written += whenReady(() => writeSync(descriptor, bytes, written));
}

let isLost = false;

/** Whether a part of the output could not be written. The reader knows that from the exit code. */
export function isOutputLost(): boolean {
  return isLost;
}

const lostLengthMax = 4096;

/**
 * Never throws, because the command has done its work. A reader that has ended is ignored. If the output fails for
 * another reason, such as a full disk, stderr says so and shows what was lost.
 */
export function writeAll(descriptor: 1 | 2, text: string): void {
  if (descriptor === 1 && isLost) return;
  try {
    writeOrThrow(descriptor, text);
  } catch (error) {
    if (descriptor === 2 || hasEnded(descriptor, error as NodeJS.ErrnoException)) return;
    isLost = true;
    const shown = text.length > lostLengthMax ? `${text.slice(0, lostLengthMax)}…\n` : text;
    writeAll(
      2,
      `lockstep: E-STORE: the output could not be written: ${whyLost(error as NodeJS.ErrnoException)}. It is:\n${shown}`,
    );
  }
}

/** Whether the reader has ended: a closed pipe, or a terminal that was closed. */
function hasEnded(descriptor: number, { code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || (code === "EIO" && fstatSync(descriptor).isCharacterDevice());
}

function whyLost({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOSPC" || code === "EDQUOT")
    return "the disk is full; free some space, or write it elsewhere";
  return `${message.replace(/, write$/, "")}; write it elsewhere`;
}

/** Retries on EAGAIN, which a descriptor in non-blocking mode returns instead of waiting. */
function whenReady(call: () => number): number {
  for (;;) {
    try {
      return call();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(sleeper, 0, 0, pauseMs);
    }
  }
}
