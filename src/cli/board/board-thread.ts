import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { boardPort, keepBoardPort } from "../../board/access/board-port.ts";
import { Looks } from "../../board/models/look.ts";
import { type BoardOptions, type BoardServer, openBoard } from "../../board/serve/board-server.ts";
import { openHttpAccess } from "../../workspace/state/http-access.ts";
import { knownLedgerUrl, ledgerName } from "../../workspace/state/ledger-url.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { thisMachine } from "../../workspace/state/this-machine.ts";
import { limitsOf, openEngine, readConfig } from "../open/open-engine.ts";
import { writeAll } from "../output/descriptor.ts";
import type { FromThread, ToThread } from "./board-host.ts";

const tellMs = 1000;

/** The board's server, in a thread of the warm process: however much it reads, no hook waits for it. */
export async function serveBoardHere(): Promise<void> {
  const tell = (message: FromThread) => parentPort?.postMessage(message);
  const opened = await openEngine({ create: true });
  const { engine, project, config } = opened;
  const folder = openStateFolder(project);
  const name = basename(project.place.realRoot ?? project.place.root);
  const current = async () => {
    const now = await readConfig(project);
    return { config: now, engine: { ...engine, limits: limitsOf(now) } };
  };
  const place = {
    ...{ name, engine, project, config, folder, current },
    ...{ machine: thisMachine().name, looks: new Looks(engine) },
  };
  const { proofOf } = await openHttpAccess(folder);
  const server = await open({ place, proofOf, onFault }, (workerData as ToThread).port);
  keepBoardPort(folder, server.port);
  // The first page does not wait for the first read.
  await place.looks.read();
  tell({ port: server.port, ledger: ledgerName(knownLedgerUrl(project)) });
  const telling = setInterval(() => tell({ pages: server.pages }), tellMs);
  parentPort?.once("message", async () => {
    clearInterval(telling);
    await server[Symbol.asyncDispose]();
    opened[Symbol.dispose]();
    parentPort?.close();
  });
}

function onFault(error: unknown): void {
  writeAll(2, `lockstep: ${new Date().toISOString()} the board: ${String(error)}\n`);
}

/** On the wanted port, else the usual one, else any. */
async function open(options: Omit<BoardOptions, "port">, wanted: number | undefined): Promise<BoardServer> {
  if (wanted !== undefined) return openBoard({ ...options, port: wanted });
  try {
    return await openBoard({ ...options, port: boardPort(options.place.folder) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return openBoard({ ...options, port: 0 });
  }
}
