import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine/change/engine.ts";
import type { GuardEndpoint } from "../guard/world/guard-endpoint.ts";
import { internalFault } from "../hooks/run-point.ts";
import { identityOf, isAlive } from "../workspace/process/process-identity.ts";
import { guardAnswer } from "./answer-guard.ts";
import { answerRequest } from "./answer-request.ts";
import { takeHostLock } from "./host-lock.ts";
import {
  type HostRecord,
  type HostRole,
  readHostRecord,
  removeHostRecord,
  writeHostRecord,
} from "./host-record.ts";
import { placeSocket, removeShort, requireOwnFolder } from "./place-socket.ts";
import { serveConnection } from "./serve-connection.ts";

const connectionsMax = 512;
const backlogMax = 4096;
const lockMsMax = 1000;
const pauseMs = 20;

/** Answers agents in the sandbox, which cannot open the ledger, and hooks, until it is disposed of. */
export interface Host extends AsyncDisposable {
  /** What LOCKSTEP_SOCKET is for them. */
  readonly socket: string;
}

export interface HostOptions {
  readonly role?: HostRole;
  /** Which walls stand around the agents of a run. */
  readonly walls?: HostRecord["walls"];
  /** Without it hooks are told that nobody judges here. */
  readonly guard?: GuardEndpoint;
  /** Opens what else listens, under the same lock, before anybody is told where. */
  readonly beside?: () => Promise<AsyncDisposable & { readonly port: number | undefined }>;
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
export async function openHost(engine: Engine, folder: string, options: HostOptions = {}): Promise<Host> {
  const own = requireOwnFolder(folder);
  const lock = await holdLock(own, options.role ?? "host");
  try {
    return await listen(engine, own, { ...options, lock });
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** Several that begin at once may all be refused for a moment, so a refusal counts when its cause is known. */
async function holdLock(folder: string, role: HostRole): Promise<Disposable> {
  const deadline = performance.now() + lockMsMax;
  for (;;) {
    const lock = takeHostLock(folder, role);
    if (lock !== undefined) return lock;
    const other = readHostRecord(folder, role);
    if ((other !== undefined && isAlive(other)) || performance.now() > deadline) throw new HostRunning(other);
    await sleep(pauseMs);
  }
}

/** Run's is older than the warm process, and LOCKSTEP_SOCKET names it. */
const socketNames: Readonly<Record<HostRole, string>> = { host: "socket", serve: "serve.socket" };

async function listen(
  engine: Engine,
  folder: string,
  { role = "host", guard, walls, beside, lock }: HostOptions & { readonly lock: Disposable },
): Promise<Host> {
  const before = readHostRecord(folder, role);
  if (before !== undefined) removeShort(folder, before.socket);
  const path = placeSocket(folder, socketNames[role]);
  const reading = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    reading.add(socket);
    socket.on("close", () => reading.delete(socket));
    serveConnection(socket, {
      answer: (request) => answerOf(engine, guard, request),
      onRequest: () => reading.delete(socket),
    });
  });
  server.maxConnections = connectionsMax;
  let other: Awaited<ReturnType<NonNullable<HostOptions["beside"]>>> | undefined;
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= close({ server, reading, folder, role, path, lock, other });
    return ended;
  };
  try {
    server.listen({ path, backlog: backlogMax });
    await once(server, "listening");
    chmodSync(path, 0o600);
    other = await beside?.();
    const self = identityOf(process.pid) ?? { pid: process.pid, startedAt: "", boot: "" };
    const port = other?.port === undefined ? {} : { port: other.port };
    writeHostRecord(folder, role, {
      ...self,
      socket: path,
      ...port,
      ...(walls === undefined ? {} : { walls }),
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { socket: path, [Symbol.asyncDispose]: end };
}

async function answerOf(engine: Engine, guard: GuardEndpoint | undefined, request: Uint8Array) {
  const judged = guard === undefined ? undefined : guardAnswer(guard, request);
  if (judged === undefined) return answerRequest(engine, request);
  // What is no answer in the hook's own form, its client takes for a failure.
  return judged.catch((error: unknown) => JSON.stringify(internalFault(error)));
}

/** Requests that are being answered are answered; the lock goes last. */
async function close({
  server,
  reading,
  folder,
  role,
  path,
  lock,
  other,
}: {
  server: Server;
  reading: ReadonlySet<Socket>;
  folder: string;
  role: HostRole;
  path: string;
  lock: Disposable;
  other: AsyncDisposable | undefined;
}): Promise<void> {
  using _held = lock;
  const closed = server.listening ? once(server, "close") : undefined;
  server.close();
  for (const socket of reading) socket.destroy();
  await other?.[Symbol.asyncDispose]();
  await closed;
  removeHostRecord(folder, role);
  removeShort(folder, path);
}
