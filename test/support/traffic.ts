import { appendFileSync, mkdirSync, writeSync } from "node:fs";
import { openEngine } from "../../src/cli/open/open-engine.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { packet, person, result } from "./memory-engine.ts";

/**
 * A program that only changes the ledger of the project in which it is started, until it is killed. Each change is
 * printed to stdout after the engine has acknowledged it, so every printed line must be true.
 */
export interface Acknowledged {
  readonly task: string;
  readonly epoch: number;
  readonly state: string;
  /** The number of the last event in the ledger after it. */
  readonly seq: number;
  /** For heartbeats, which leave no event. */
  readonly beatAt: string;
  readonly tokens: number;
}

const sharedScopes = 3;
let seq = 0;

await drive(process.argv[2] ?? "T");

async function drive(prefix: string): Promise<never> {
  using opened = await openEngine({ create: true });
  const engine = { ...opened.engine, ledger: watched(opened.engine.ledger) };
  mkdirSync("worklogs", { recursive: true });
  for (let round = 1; ; round += 1) await oneTask(engine, `${prefix}-${round}`, round);
}

/** The same ledger; remembers its version at the last change. */
function watched(ledger: Ledger): Ledger {
  const commit: Ledger["commit"] = async (change) => {
    const committed = await ledger.commit(change);
    if ("ok" in committed) seq = committed.seq;
    return committed;
  };
  return Object.assign(Object.create(ledger), { commit });
}

/** Every other task needs a folder that the others need too. */
async function oneTask(engine: Engine, task: string, round: number): Promise<void> {
  const scope = round % 2 === 0 ? `shared/${round % sharedScopes}` : `own/${task}`;
  const limits = { timeout_seconds: 2, heartbeat_interval_seconds: 1 };
  const document = packet(task, [scope], { assignment: limits });
  const steps = [
    () => operate(engine, "dispatch", { packet: document }, person),
    () => operate(engine, "heartbeat", { task }, person),
    () => operate(engine, "heartbeat", { task, tokens: 7 }, person),
    ...(round % 3 === 0 ? [() => operate(engine, "release", { task }, person)] : handIn(engine, task)),
  ];
  for (const step of steps) if (!(await tell(engine, task, await step()))) return;
}

function handIn(engine: Engine, task: string): (() => Promise<Verdict>)[] {
  const submit = () => {
    appendFileSync(`worklogs/${task}.md`, "worked\n");
    return operate(engine, "submit", { task, document: result(task) }, person);
  };
  return [submit, () => operate(engine, "complete", { task }, person)];
}

/**
 * Whether the task continues. A lost race for a folder counts as a change too; a lease that expired on a slow machine
 * does not.
 */
async function tell({ ledger }: Engine, task: string, verdict: Verdict): Promise<boolean> {
  const { state } = verdict.details ?? {};
  if (verdict.code === "R-LS-001") return false;
  if ((!verdict.allow && verdict.code !== "R-PD-003") || typeof state !== "string")
    throw new Error(`task ${task}: ${JSON.stringify(verdict)}`);
  const attempt = await ledger.attempt(task);
  const { epoch = 0, beatAt = "", tokens = 0 } = attempt ?? {};
  const line: Acknowledged = { task, state, epoch, seq, beatAt, tokens };
  writeSync(1, `${JSON.stringify(line)}\n`);
  return verdict.allow;
}
