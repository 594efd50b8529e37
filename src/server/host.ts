import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readJsonBytes } from "../core/text/read-json.ts";
import { field, isObject } from "../core/values/fields.ts";
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
import { protocolVersion } from "./protocol.ts";
import { serveConnection } from "./serve-connection.ts";

const connectionsMax = 512;
const backlogMax = 4096;
const lockMsMax = 1000;
const pauseMs = 20;

/** Answers hooks, and agents in the sandbox, which cannot open the ledger, until it is disposed. */
export interface Host extends AsyncDisposable {
  /** The value of LOCKSTEP_SOCKET for the agents. */
  readonly socket: string;
}

export interface HostOptions {
  readonly role?: HostRole;
  /** The isolation of a run's agents. */
  readonly walls?: HostRecord["walls"];
  /** Without it, hooks get the answer that this host has no guard. */
  readonly guard?: GuardEndpoint;
  /** Opens the board on this port, or on its usual one. */
  readonly board?: (port: number | undefined) => Promise<object>;
  /** Opens additional listeners under the same lock, before the record is written. */
  readonly beside?: () => Promise<AsyncDisposable & { readonly port: number | undefined }>;
}

export class HostRunning extends Error {
  override readonly name = "HostRunning";
  readonly code = "E-STORE";
  readonly retryable = true;
  /** Undefined if the other host has not written its record yet. */
  readonly host: HostRecord | undefined;

  constructor(host: HostRecord | undefined) {
    super(`a host of this repository is already running pid ${host?.pid ?? "unknown"}: use it or stop it`);
    this.host = host;
  }
}

/** `folder` is the project's state folder, so all paths and worktrees of a repository share one host. */
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

/**
 * Several processes that start at once may all be refused for a moment, so a refusal counts only if the other host is
 * known or time is up.
 */
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

/** Fixed names: LOCKSTEP_SOCKET names the socket of a run. */
const socketNames: Readonly<Record<HostRole, string>> = { host: "socket", serve: "serve.socket" };

async function listen(
  engine: Engine,
  folder: string,
  { role = "host", guard, walls, board, beside, lock }: HostOptions & { readonly lock: Disposable },
): Promise<Host> {
  const before = readHostRecord(folder, role);
  if (before !== undefined) removeShort(folder, before.socket);
  const path = placeSocket(folder, socketNames[role]);
  const reading = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    reading.add(socket);
    socket.on("close", () => reading.delete(socket));
    serveConnection(socket, {
      answer: (request) => answerOf(engine, { guard, board }, request),
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

async function answerOf(
  engine: Engine,
  { guard, board }: { readonly [Name in "guard" | "board"]: HostOptions[Name] | undefined },
  request: Uint8Array,
) {
  const judged = guard === undefined ? undefined : guardAnswer(guard, request);
  if (judged === undefined)
    return (
      (board === undefined ? undefined : await boardAnswer(board, request)) ?? answerRequest(engine, request)
    );
  // An answer that is not in the hook's format is treated as a failure by its client.
  return judged.catch((error: unknown) => JSON.stringify(internalFault(error)));
}

/** Undefined if the request is not for the board. */
async function boardAnswer(
  open: NonNullable<HostOptions["board"]>,
  request: Uint8Array,
): Promise<string | undefined> {
  const document = readJsonBytes(request);
  const wanted = field(document, "board");
  if (!isObject(wanted) || field(document, "version") !== protocolVersion) return undefined;
  const port = field(wanted, "port");
  return JSON.stringify(await open(typeof port === "number" ? port : undefined));
}

/** Answers pending requests first, and releases the lock last. */
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
