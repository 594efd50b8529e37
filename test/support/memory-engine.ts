import { defaultConfig } from "../../src/contract/default-config.ts";
import type { Moment } from "../../src/core/leases/clock.ts";
import type { ProcessIdentity } from "../../src/core/leases/process-identity.ts";
import type { Details, Verdict } from "../../src/core/rules/verdict.ts";
import { findSecrets } from "../../src/core/secrets/find-secrets.ts";
import type { Evidence } from "../../src/core/tasks/evidence.ts";
import type { Call, Engine, EngineLimits } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openMemoryLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { type DiskContents, memoryDisk } from "./memory-disk.ts";

/** The limits of a project without a configuration, except that scopes are widened without a question. */
const limits: EngineLimits = {
  reviewRetries: defaultConfig.limits.review_retries,
  sameError: defaultConfig.limits.same_error,
  widen: "auto",
  weakenTests: defaultConfig.tests.weaken,
  tokens: defaultConfig.limits.tokens,
  minutes: defaultConfig.limits.minutes,
  costUsd: defaultConfig.limits.cost_usd,
  delegationDepth: defaultConfig.limits.delegation_depth,
  implementers: {},
  resources: defaultConfig.resources,
};

export interface TestEngine extends Engine {
  /** Advances both clocks. */
  sleep(seconds: number): void;
  reboot(): void;
  readonly dead: Set<number>;
  readonly disk: Record<string, string | null>;
  readonly shown: string[];
}

interface TestOptions {
  readonly limits?: Partial<EngineLimits>;
  readonly ledger?: Ledger;
  readonly baseCommit?: Engine["baseCommit"];
  readonly judge?: Engine["judge"];
  readonly prove?: (
    commit: string,
    command: string,
    task: string,
  ) => Promise<Evidence | { readonly error: string }>;
}

/** The real engine over an in-memory ledger, with a clock, a disk and processes that a test controls. */
export async function memoryEngine(options: TestOptions = {}): Promise<TestEngine> {
  const moment: { -readonly [Name in keyof Moment]: Moment[Name] } = {
    wallMs: Date.parse("2026-02-14T20:00:00Z"),
    monoMs: 1_000_000,
    boot: "boot-1",
  };
  const disk: Record<string, string | null> = { "/repo": null };
  const dead = new Set<number>();
  const shown: string[] = [];
  const identity = (pid: number): ProcessIdentity => ({ pid, startedAt: "1", boot: moment.boot });
  return {
    ledger: options.ledger ?? (await openMemoryLedger()),
    clock: { now: () => ({ ...moment }) },
    world: { place: { root: "/repo", home: "/home/me" }, disk: liveDisk(disk) },
    limits: { ...limits, ...options.limits },
    isAlive: ({ pid, boot }) => (boot === moment.boot && !dead.has(pid) ? "yes" : "no"),
    identityOf: (pid) => (dead.has(pid) ? undefined : identity(pid)),
    baseCommit: options.baseCommit ?? (async () => undefined),
    judge: options.judge ?? (async () => ({ changes: [], allowed: [], reasons: [], runs: [] })),
    prove: options.prove ?? (async () => ({ error: "no commands here" })),
    findSecrets,
    showBreaker: (mode) => void shown.push(mode),
    pause: async () => {},
    sleep(seconds) {
      moment.wallMs += seconds * 1000;
      moment.monoMs += seconds * 1000;
    },
    reboot() {
      moment.boot = `${moment.boot}+`;
      moment.monoMs = 5;
    },
    dead,
    disk,
    shown,
  };
}

function liveDisk(contents: DiskContents) {
  const now = () => memoryDisk(contents);
  return {
    realPath: (path: string) => now().realPath(path),
    kindOf: (path: string) => now().kindOf(path),
    sizeOf: (path: string) => now().sizeOf(path),
  };
}

export const person: Call = { role: "person" };
/** A run that a person started. */
export const runner: Call = { role: "runner" };

export function packet(id: string, scope: readonly string[], more: Details = {}) {
  const { assignment, ...rest } = more as { assignment?: object };
  return {
    task_id: id,
    assignment: {
      lock_scope: scope,
      forbidden_scope: [],
      acceptance_criteria: ["tests pass"],
      worklog_path: `worklogs/${id}.md`,
      timeout_seconds: 600,
      heartbeat_interval_seconds: 60,
      ...assignment,
    },
    ...rest,
  };
}

export function dispatch(engine: Engine, document: unknown, call: Call = person): Promise<Verdict> {
  return operate(engine, "dispatch", { packet: document }, call);
}

export function result(id: string, more: Details = {}) {
  return {
    status: "done",
    changes: [],
    acceptance_check: [{ criterion: "tests pass", status: "pass", evidence: "npm test" }],
    worklog_path: `worklogs/${id}.md`,
    notes_for_orchestrator: [],
    ...more,
  };
}

/** Writes the worklog that a result needs, then submits it. */
export function submit(engine: TestEngine, id: string, document: unknown = result(id), call: Call = person) {
  engine.disk[`/repo/worklogs/${id}.md`] = `${engine.disk[`/repo/worklogs/${id}.md`] ?? ""}worked\n`;
  return operate(engine, "submit", { task: id, document }, call);
}

export async function stateOf(engine: Engine, id: string): Promise<string | undefined> {
  return (await engine.ledger.task(id))?.state;
}

export async function storyOf(engine: Engine, id: string): Promise<readonly string[]> {
  const events = await engine.ledger.events({ task: id });
  return events.filter(({ to }) => to !== null).map(({ from, to }) => `${from ?? "·"} → ${to}`);
}
