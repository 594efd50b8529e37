import type { Socket } from "node:net";
import { deny } from "../core/rules/verdict.ts";
import { readMsMax, requestBytesMax } from "./protocol.ts";

const newline = 0x0a;

/** Reads one line and answers it. Who sends half a line and leaves, or takes too long over it, gets nothing. */
export function serveConnection(
  socket: Socket,
  { answer, onRequest }: { answer: (line: Uint8Array) => Promise<string>; onRequest: () => void },
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const drop = () => void socket.destroy();
  let deadline = setTimeout(drop, readMsMax);
  const reply = async (answering: Promise<string>) => {
    clearTimeout(deadline);
    onRequest();
    // Whatever else comes is thrown away, and the other side's end is seen.
    socket.off("data", take).off("end", drop).resume();
    const text = await answering;
    if (socket.destroyed) return;
    deadline = setTimeout(drop, readMsMax);
    socket.end(`${text}\n`);
  };
  const take = (chunk: Buffer) => {
    const end = chunk.indexOf(newline);
    const piece = end < 0 ? chunk : chunk.subarray(0, end);
    chunks.push(piece);
    bytes += piece.length;
    if (bytes > requestBytesMax) {
      void reply(Promise.resolve(tooLong));
      chunks.length = 0;
      socket.pause(); // the rest of it stays where it is
    } else if (end >= 0) void reply(answer(Buffer.concat(chunks)));
  };
  socket.on("data", take).on("end", drop);
  socket.on("error", drop); // the other side is gone
  socket.on("close", () => clearTimeout(deadline));
}

const tooLong = JSON.stringify(
  deny("R-IN-001", `the request is longer than ${requestBytesMax} bytes: send less`),
);
