import type { Details, Verdict } from "../src/core/rules/verdict.ts";
import type { Call } from "../src/engine/change/engine.ts";
import { operate } from "../src/engine/operate.ts";
import type { Change, Ledger } from "../src/ledger/ledger.ts";
import { openMemoryLedger } from "../src/ledger/sqlite/open-ledger.ts";
import { engineOf, ledgerProject } from "./ledger-project.ts";
import { type BenchTask, packetOf, resultOf, taskOf, worklogOf } from "./ledger-tasks.ts";

export const person: Call = { role: "person" };

const batch = 1000;

/** Names that stand for any task; in lower case, because some disks store locks so. */
const model: BenchTask = { key: "t-model", folder: "model-folder" };
const needed = "t-needed";

/** The epoch of all filled tasks: the recorded attempt was the first of its ledger. */
export const filledEpoch = 1;

/** The changes that the engine commits for a task, as JSON with the names of the model. */
export interface Recorded {
  readonly started: string;
  readonly submitted: string;
  readonly merged: string;
  readonly added: string;
  /** Dispatched too early: a dependency is not merged. */
  readonly blocked: string;
}

/**
 * Lets the engine run once and records its commits. A ledger that is filled with copies of them has the same rows as
 * after that many operations, without the time for these.
 */
export async function recordChanges(): Promise<Recorded> {
  using scratch = ledgerProject();
  const changes: string[] = [];
  const newEngine = async () => engineOf(scratch.project, await recordingLedger(changes));
  const engine = await newEngine();
  detailsOf(await operate(engine, "dispatch", { packet: packetOf(model) }, person));
  scratch.writeWorklog(worklogOf(model));
  detailsOf(await operate(engine, "submit", { task: model.key, document: resultOf(model) }, person));
  detailsOf(await operate(engine, "complete", { task: model.key }, person));
  detailsOf(await operate(await newEngine(), "task-add", { packet: packetOf(model) }, person));
  await operate(await newEngine(), "dispatch", { packet: packetOf(model, { depends_on: [needed] }) }, person);
  const [started, submitted, merged, added, blocked, ...more] = changes;
  if (!started || !submitted || !merged || !added || !blocked || more.length > 0)
    throw new Error(`five changes were expected, there were ${changes.length}`);
  return { started, submitted, merged, added, blocked };
}

async function recordingLedger(changes: string[]): Promise<Ledger> {
  const ledger = await openMemoryLedger();
  const commit = ledger.commit.bind(ledger);
  return Object.assign(ledger, {
    commit: (change: Change) => {
      changes.push(JSON.stringify(change));
      return commit(change);
    },
  });
}

/** Throws if an ordinary operation was denied. */
export function detailsOf(verdict: Verdict): Details {
  if (!verdict.allow) throw new Error(`an ordinary operation was denied: ${verdict.code} ${verdict.reason}`);
  return verdict.details ?? {};
}

export interface Contents {
  readonly finished: number;
  /** Half of them added and PENDING, half BLOCKED by one of those. */
  readonly waiting: number;
  readonly running: number;
}

export interface Filled {
  readonly running: readonly BenchTask[];
  /** The first number without a task. */
  readonly next: number;
}

export async function fillLedger(
  ledger: Ledger,
  recorded: Recorded,
  { finished, waiting, running }: Contents,
): Promise<Filled> {
  const { started, submitted, merged, added, blocked } = recorded;
  const tasks = (first: number, end: number) =>
    Array.from({ length: end - first }, (_, at) => taskOf(first + at));
  for (let first = 0; first < finished; first += batch) {
    const some = tasks(first, Math.min(first + batch, finished));
    for (const text of [started, submitted, merged]) await commitCopies(ledger, text, some);
  }
  const half = finished + Math.ceil(waiting / 2);
  await commitCopies(ledger, added, tasks(finished, half));
  await commitCopies(ledger, blocked, tasks(half, finished + waiting), taskOf(finished).key);
  const runners = tasks(finished + waiting, finished + waiting + running);
  for (let at = 0; at < running; at += batch)
    await commitCopies(ledger, started, runners.slice(at, at + batch));
  return { running: runners, next: finished + waiting + running };
}

/** One change for all of the tasks. */
async function commitCopies(
  ledger: Ledger,
  text: string,
  tasks: readonly BenchTask[],
  dependency = "",
): Promise<void> {
  const copies = tasks.map((task) => copyFor(task, text.replaceAll(needed, dependency)));
  const all = <Part>(part: (change: Change) => readonly Part[] | undefined) =>
    copies.flatMap((change) => part(change) ?? []);
  const committed = await ledger.commit({
    expect: { fence: await ledger.fence() },
    tasks: all((change) => change.tasks),
    attempts: all((change) => change.attempts),
    take: all((change) => change.take),
    release: { tasks: all((change) => change.release?.tasks), at: new Date().toISOString() },
    events: all((change) => change.events),
  });
  if ("conflict" in committed)
    throw new Error(`the ledger cannot be filled: conflict on ${committed.conflict}`);
}

/** The folder occurs in paths, and as a single segment of a lock's shape. */
function copyFor({ key, folder }: BenchTask, text: string): Change {
  const segments = folder.split("/").map((segment) => JSON.stringify(segment));
  const copy = text
    .replaceAll(model.key, key)
    .replaceAll(JSON.stringify(model.folder), segments.join(","))
    .replaceAll(model.folder, folder);
  return JSON.parse(copy) as Change;
}
