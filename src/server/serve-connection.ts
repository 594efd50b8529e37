import type { Socket } from "node:net";
import { deny } from "../core/rules/verdict.ts";
import { rawStart } from "../guard/transport/raw-form.ts";
import { readMsMax, requestBytesMax } from "./protocol.ts";

const newline = 0x0a;

/**
 * Reads one line and answers it. A hook's raw request extends to the end of the input. A client that sends an incomplete
 * request, or takes too long, gets no answer.
 */
export function serveConnection(
  socket: Socket,
  { answer, onRequest }: { answer: (request: Uint8Array) => Promise<string>; onRequest: () => void },
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let raw = false;
  const drop = () => void socket.destroy();
  let deadline = setTimeout(drop, readMsMax);
  const reply = async (answering: Promise<string>) => {
    clearTimeout(deadline);
    onRequest();
    // Further input is discarded, so that the end of the connection is noticed.
    socket.off("data", take).off("end", end).resume();
    const text = await answering;
    if (socket.destroyed) return;
    deadline = setTimeout(drop, readMsMax);
    socket.end(`${text}\n`);
  };
  const take = (chunk: Buffer) => {
    const lineEnd = raw ? -1 : chunk.indexOf(newline);
    raw ||= lineEnd >= 0 && isRaw([...chunks, chunk]);
    const piece = lineEnd < 0 || raw ? chunk : chunk.subarray(0, lineEnd);
    chunks.push(piece);
    bytes += piece.length;
    if (bytes > requestBytesMax) {
      void reply(Promise.resolve(tooLong));
      chunks.length = 0;
      socket.pause(); // the rest is not read
    } else if (lineEnd >= 0 && !raw) void reply(answer(Buffer.concat(chunks)));
  };
  const end = () => {
    if (raw) void reply(answer(Buffer.concat(chunks)));
    else drop();
  };
  socket.on("data", take).on("end", end);
  socket.on("error", drop); // the client is gone
  socket.on("close", () => clearTimeout(deadline));
}

function isRaw(chunks: readonly Buffer[]): boolean {
  return Buffer.concat(chunks).subarray(0, rawStart.length).toString("latin1") === rawStart;
}

const tooLong = JSON.stringify(
  deny("R-IN-001", `the request is longer than ${requestBytesMax} bytes: send less`),
);
