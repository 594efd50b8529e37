import { rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { clientNames } from "../contract/client-names.ts";
import type { Engine } from "../engine/change/engine.ts";
import { listeningFile } from "../guard/transport/ask-server.ts";
import { tidyShownActive } from "../guard/world/active.ts";
import type { GuardEndpoint } from "../guard/world/guard-endpoint.ts";
import { replaceFile } from "../workspace/files/replace-file.ts";
import { openHttpAccess } from "../workspace/state/http-access.ts";
import { openClientSockets } from "./client-sockets.ts";
import { openHost } from "./host.ts";
import { readHostRecord } from "./host-record.ts";
import { openHttpGuard } from "./http-guard.ts";
import { isRunAlive } from "./is-run-alive.ts";
import { Usage } from "./usage.ts";

const tickMs = 1000;
const lagMsMax = 200;
/** For clients that have read the socket path but not connected yet. */
const lingerMs = 150;

export interface ServeOptions {
  readonly engine: Engine;
  readonly folder: string;
  readonly guard: GuardEndpoint;
  readonly idleMs: number;
  /** Overrides the repository's own port. */
  readonly port?: number;
  /** The board, which the warm process serves on request. While pages are open, it is in use. */
  readonly board?: { readonly isBusy: boolean; open(port: number | undefined): Promise<object> };
  /** Stops the server. */
  readonly stop: AbortSignal;
  onListening(at: { readonly socket: string; readonly port: number | undefined }): void;
  /** The event loop was blocked for this long. */
  onLag(ms: number): void;
}

/** The server: answers hooks on a socket and over HTTP until it is stopped or idle for long. */
export async function serve(options: ServeOptions): Promise<void> {
  const { engine, folder, guard, idleMs, board, stop, onListening, onLag } = options;
  const usage = new Usage(guard, idleMs);
  const access = await openHttpAccess(folder);
  let port: number | undefined;
  await using host = await openHost(engine, folder, {
    role: "serve",
    guard: usage.onSocket,
    ...(board === undefined ? {} : { board: (wanted: number | undefined) => board.open(wanted) }),
    beside: async () => {
      const wanted = options.port === undefined ? {} : { port: options.port };
      const http = await openHttpGuard({ access, guard: usage.overHttp, ...wanted });
      port = http.port;
      return http;
    },
  });
  await using _sockets = await openClientSockets(host.socket, clientNames, usage.onSocket);
  publish(folder, host.socket);
  const lag = monitorEventLoopDelay();
  lag.enable();
  try {
    rmSync(join(folder, "starting"), { force: true });
    onListening({ socket: host.socket, port });
    while (!stop.aborted && isOwn(folder)) {
      await tidyShownActive({ ...engine, folder, isRunAlive: () => isRunAlive(folder) });
      await pause(tickMs, stop);
      if (lag.max > lagMsMax * 1e6) onLag(Math.round(lag.max / 1e6));
      lag.reset();
      if (board?.isBusy !== true && usage.isOver() && (await isLeft(folder, usage, stop))) return;
      publish(folder, host.socket);
    }
  } finally {
    lag.disable();
    rmSync(listeningFile(folder), { force: true });
  }
}

/** Removes the record, and returns true if no client that had read it has called since. */
async function isLeft(folder: string, usage: Usage, stop: AbortSignal): Promise<boolean> {
  rmSync(listeningFile(folder), { force: true });
  await pause(lingerMs, stop);
  return usage.isOver();
}

/** False if the repository was removed or replaced; then no hook can find this server. */
function isOwn(folder: string): boolean {
  try {
    return readHostRecord(folder, "serve")?.pid === process.pid;
  } catch {
    return false;
  }
}

/** Written atomically, because hooks read it at any time. */
function publish(folder: string, socket: string): void {
  replaceFile(listeningFile(folder), `${socket}\n${process.pid}\n`);
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop }).catch(() => {}); // stopped
}
