import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import { identityOf, isAlive } from "../workspace/process-identity.ts";
import { answerRequest } from "./answer-request.ts";
import { takeHostLock } from "./host-lock.ts";
import { type HostRecord, readHostRecord, removeHostRecord, writeHostRecord } from "./host-record.ts";
import { placeSocket, removeShort, requireOwnFolder } from "./place-socket.ts";
import { serveConnection } from "./serve-connection.ts";

const connectionsMax = 512;
const backlogMax = 4096;
const lockMsMax = 1000;
const pauseMs = 20;

/** Answers agents in the sandbox, which cannot open the ledger, until it is disposed of. */
export interface Host extends AsyncDisposable {
  /** What LOCKSTEP_SOCKET is for them. */
  readonly socket: string;
}

export class HostRunning extends Error {
  override readonly name = "HostRunning";
  readonly code = "E-STORE";
  readonly retryable = true;
  /** Undefined where the other has not said yet who it is. */
  readonly host: HostRecord | undefined;

  constructor(host: HostRecord | undefined) {
    super(
      `a host of this repository is already running pid ${host?.pid ?? "unknown"}: use that one or stop it`,
    );
    this.host = host;
  }
}

/** `folder` is the project's state folder, so all spellings and worktrees of a repository share one host. */
export async function openHost(
  engine: Engine,
  folder: string,
  told: Pick<HostRecord, "walls"> = {},
): Promise<Host> {
  const own = requireOwnFolder(folder);
  const lock = await holdLock(own);
  try {
    return await listen(engine, own, { lock, told });
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** Several that begin at once may all be refused for a moment, so a refusal counts when its cause is known. */
async function holdLock(folder: string): Promise<Disposable> {
  const deadline = performance.now() + lockMsMax;
  for (;;) {
    const lock = takeHostLock(folder);
    if (lock !== undefined) return lock;
    const other = readHostRecord(folder);
    if ((other !== undefined && isAlive(other)) || performance.now() > deadline) throw new HostRunning(other);
    await sleep(pauseMs);
  }
}

async function listen(
  engine: Engine,
  folder: string,
  { lock, told }: { readonly lock: Disposable; readonly told: Pick<HostRecord, "walls"> },
): Promise<Host> {
  const before = readHostRecord(folder);
  if (before !== undefined) removeShort(folder, before.socket);
  const path = placeSocket(folder);
  const reading = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    reading.add(socket);
    socket.on("close", () => reading.delete(socket));
    serveConnection(socket, {
      answer: (line) => answerRequest(engine, line),
      onRequest: () => reading.delete(socket),
    });
  });
  server.maxConnections = connectionsMax;
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= close({ server, reading, folder, path, lock });
    return ended;
  };
  try {
    server.listen({ path, backlog: backlogMax });
    await once(server, "listening");
    chmodSync(path, 0o600);
    const self = identityOf(process.pid) ?? { pid: process.pid, startedAt: "", boot: "" };
    writeHostRecord(folder, { ...self, socket: path, ...told });
  } catch (error) {
    await end();
    throw error;
  }
  return { socket: path, [Symbol.asyncDispose]: end };
}

/** Requests that are being answered are answered; the lock goes last. */
async function close({
  server,
  reading,
  folder,
  path,
  lock,
}: {
  server: Server;
  reading: ReadonlySet<Socket>;
  folder: string;
  path: string;
  lock: Disposable;
}): Promise<void> {
  using _held = lock;
  const closed = server.listening ? once(server, "close") : undefined;
  server.close();
  for (const socket of reading) socket.destroy();
  await closed;
  removeHostRecord(folder);
  removeShort(folder, path);
}
