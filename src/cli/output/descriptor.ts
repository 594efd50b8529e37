import { readSync, writeSync } from "node:fs";

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

/** For readers that may have ended: a closed terminal or pipe is ignored. */
export function writeAll(descriptor: number, text: string): void {
  try {
    writeOrThrow(descriptor, text);
  } catch (error) {
    if (!["EIO", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
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
