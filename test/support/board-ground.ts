import { mintLink } from "../../src/board/access/links.ts";
import { type BoardPlace, Looks } from "../../src/board/models/look.ts";
import { type BoardServer, openBoard } from "../../src/board/serve/board-server.ts";
import type { BoardRight } from "../../src/contract/board.ts";
import { defaultConfig } from "../../src/contract/default-config.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";
import { memoryEngine, type TestEngine } from "./memory-engine.ts";
import { type Repository, temporaryRepository } from "./run-command.ts";

export interface BoardGround extends AsyncDisposable {
  readonly repository: Repository;
  readonly engine: TestEngine;
  readonly place: BoardPlace;
  /** Errors of the server; there should be none. */
  readonly faults: unknown[];
  server(): BoardServer;
  /** The address with a new link. */
  link(path?: string, may?: BoardRight): string;
  /** Ends the server and starts another one on the same port, as after a crash. */
  restart(): Promise<void>;
}

const minute = 60;

/** A repository with a ledger on disk and the board's server for it, in this process. The clock is 40 minutes behind. */
export async function boardGround(files: Readonly<Record<string, string>> = shopFiles): Promise<BoardGround> {
  const repository = temporaryRepository(files);
  repository.git("add", "-A");
  repository.git("commit", "-qm", "base");
  const project = findProject(repository.path);
  const folder = openStateFolder(project);
  const ledger = await openSqliteLedger({ folder, create: true, fileSystemOf: () => undefined });
  const memory = await memoryEngine({
    ledger,
    limits: { widen: "ask" },
    baseCommit: async () => repository.git("rev-parse", "main"),
  });
  const engine: TestEngine = { ...memory, world: { ...memory.world, place: project.place } };
  engine.sleep((Date.now() - engine.clock.now().wallMs) / 1000 - 40 * minute);
  const place: BoardPlace = {
    current: async () => ({ engine, config: place.config }),
    ...{ engine, project, folder, machine: "atlas", name: "shop", looks: new Looks(engine) },
    config: {
      ...defaultConfig,
      base_branch: "main",
      checks: { ...defaultConfig.checks, default: ["node test/f.test.js"] },
    },
  };
  const faults: unknown[] = [];
  const open = (port: number) =>
    openBoard({
      place,
      port,
      proofOf: (nonce) => `proof of ${nonce}`,
      onFault: (error) => faults.push(error),
    });
  let server = await open(0);
  return {
    ...{ repository, engine, place, faults },
    server: () => server,
    link: (path = "/", may = "act") => `http://127.0.0.1:${server.port}${path}#${mintLink(folder, may)}`,
    restart: async () => {
      const { port } = server;
      await server[Symbol.asyncDispose]();
      server = await open(port);
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      ledger.close();
      repository[Symbol.dispose]();
    },
  };
}

const shopFiles = {
  "src/price.js": "exports.round = (value) => Math.round(value * 100) / 100;\n",
  "src/cart.js":
    'const { round } = require("./price.js");\n\nexports.total = (lines) => round(lines.reduce((sum, one) => sum + one.price * one.count, 0));\n',
  "test/f.test.js": 'if (require("../src/price.js").round(1.005) === undefined) process.exit(1);\n',
  "docs/prices.md": "# Prices\n\nPrices are in euros.\n",
  ".gitignore": "state\n",
};
