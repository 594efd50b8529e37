import { once } from "node:events";
import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { clientSocket } from "../guard/transport/client-socket.ts";
import { rawAnswer } from "../guard/transport/raw-form.ts";
import type { GuardEndpoint } from "../guard/world/guard-endpoint.ts";
import { readMsMax, requestBytesMax } from "./protocol.ts";

const connectionsMax = 256;
const backlogMax = 4096;

/**
 * Opens one socket per client next to the server's own, for a bare payload: a shell that need not send its environment
 * connects its stdin to `nc` and starts no other program.
 */
export async function openClientSockets(
  base: string,
  clients: readonly string[],
  guard: GuardEndpoint,
): Promise<AsyncDisposable> {
  const open = new AsyncDisposableStack();
  try {
    for (const client of clients)
      open.use(await listen(clientSocket(base, client), (payload) => guard(client, payload, {})));
    return open;
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function listen(
  path: string,
  judge: (payload: Uint8Array) => ReturnType<GuardEndpoint>,
): Promise<AsyncDisposable> {
  // Only the holder of the server's lock gets here, so an existing socket was left by a killed process.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
  const reading = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    reading.add(socket);
    socket.on("close", () => reading.delete(socket));
    takePayload(socket, async (payload) => {
      reading.delete(socket);
      return rawAnswer(await judge(payload));
    });
  });
  server.maxConnections = connectionsMax;
  server.listen({ path, backlog: backlogMax });
  await once(server, "listening");
  chmodSync(path, 0o600);
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of reading) socket.destroy();
      await closed;
    },
  };
}

/** A payload that is too long, too slow or fails gets no answer, which its hook treats as a failure. */
function takePayload(socket: Socket, answer: (payload: Uint8Array) => Promise<string>): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const drop = () => void socket.destroy();
  let deadline = setTimeout(drop, readMsMax);
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > requestBytesMax) drop();
    else chunks.push(chunk);
  });
  socket.on("end", () => {
    clearTimeout(deadline);
    answer(Buffer.concat(chunks)).then((text) => {
      deadline = setTimeout(drop, readMsMax);
      socket.end(`${text}\n`);
    }, drop);
  });
  socket.on("error", drop).on("close", () => clearTimeout(deadline));
}
