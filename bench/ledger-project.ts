import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { defaultConfig } from "../src/contract/default-config.ts";
import { findSecrets } from "../src/core/secrets/find-secrets.ts";
import type { Engine, EngineLimits } from "../src/engine/change/engine.ts";
import type { Ledger } from "../src/ledger/ledger.ts";
import { openSqliteLedger } from "../src/ledger/sqlite/open-ledger.ts";
import { nodeDisk } from "../src/workspace/files/disk.ts";
import { networkFileSystem } from "../src/workspace/files/file-system.ts";
import { findProject, type Project } from "../src/workspace/files/find-project.ts";
import { machineClock } from "../src/workspace/process/machine-clock.ts";
import { identityOf, livenessOn } from "../src/workspace/process/process-identity.ts";
import { openStateFolder } from "../src/workspace/state/state-folder.ts";
import { scratchProject } from "./scratch-project.ts";

/** A throw-away project with a ledger on disk. */
export interface LedgerProject extends Disposable {
  readonly project: Project;
  /** Opens the ledger in the same way as a command. */
  open(): Promise<Ledger>;
  writeWorklog(path: string): void;
  /** Size of the ledger's file. */
  bytes(): number;
}

export function ledgerProject(): LedgerProject {
  const scratch = scratchProject();
  const project = findProject(scratch.path);
  const folder = openStateFolder(project);
  const path = join(scratch.path, "heads");
  const heads = { path, create: () => void mkdirSync(path, { recursive: true }) };
  return {
    project,
    open: () => openSqliteLedger({ folder, create: true, fileSystemOf: networkFileSystem, heads }),
    writeWorklog: (path) => void scratch.write(path, "rounded prices half-even\n"),
    bytes: () => statSync(join(folder, "state.db")).size,
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

const { limits: defaults } = defaultConfig;

/** The defaults, but no task times out during the measurement. */
const limits: EngineLimits = {
  reviewRetries: defaults.review_retries,
  sameError: defaults.same_error,
  widen: defaults.widen,
  weakenTests: "ask",
  tokens: defaults.tokens,
  minutes: { warn: 1000, halt: 1500 },
  costUsd: defaults.cost_usd,
  delegationDepth: defaults.delegation_depth,
  implementers: {},
  resources: {},
};

const clock = machineClock();

/** An engine for one operation: like a command, it reads each path on the disk again. */
export function engineOf(project: Project, ledger: Ledger): Engine {
  return {
    ledger,
    clock: ledger.clock ?? clock,
    world: { place: project.place, disk: nodeDisk() },
    limits,
    isAlive: livenessOn(undefined),
    identityOf,
    baseCommit: async () => undefined,
    judge: async () => ({ changes: [], allowed: [], reasons: [], runs: [] }),
    prove: async () => ({ error: "nothing is proven here" }),
    findSecrets,
    showBreaker: () => {},
    pause: async () => {},
  };
}
