import { readSync, writeSync } from "node:fs";

const chunkBytes = 64 * 1024;
const pauseMs = 2;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Everything that comes from a descriptor, but no more than one byte beyond the limit. */
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

/** For a client that takes silence for consent: what cannot be written is a failure. */
export function writeOrThrow(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; )
    written += whenReady(() => writeSync(descriptor, bytes, written));
}

/** For readers who may have gone: to a terminal or pipe that was closed, nothing is written. */
export function writeAll(descriptor: number, text: string): void {
  try {
    writeOrThrow(descriptor, text);
  } catch (error) {
    if (!["EIO", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** A descriptor that the caller has set to non-blocking says EAGAIN where others would wait. */
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
