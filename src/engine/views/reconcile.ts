import { PathIndex } from "../../core/paths/path-index.ts";
import { entryFrom } from "../../core/paths/stored-shape.ts";
import { isTaskState } from "../../core/tasks/states.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import type { Attempt, Ledger, Lock } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";

interface Inconsistency {
  readonly check: string;
  readonly task: string | null;
  readonly problem: string;
}

interface Stored {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly attempts: ReadonlyMap<string, Attempt>;
  readonly locks: readonly Lock[];
  /** The state that the events lead to. */
  readonly statesInEvents: ReadonlyMap<string, string>;
}

/** Checks that tasks, locks, attempts and events are consistent. Changes nothing. */
export async function reconcile(engine: Engine): Promise<Reconciled> {
  let last = await look(engine);
  // Other processes may work between two reads, so only problems that repeated reads confirm are reported.
  for (let again = 1; again <= looksMax && last.problems.length > 0; again += 1) {
    const next = await look(engine);
    const seen = new Set(last.problems.map((problem) => JSON.stringify(problem)));
    last = { ...next, problems: next.problems.filter((problem) => seen.has(JSON.stringify(problem))) };
  }
  return last;
}

interface Reconciled {
  readonly tasks: number;
  readonly locks: number;
  readonly events: number;
  readonly problems: readonly Inconsistency[];
}

const looksMax = 2;

async function look({ ledger }: Engine): Promise<Reconciled> {
  const verified = await ledger.verify();
  const stored = await load(ledger);
  const chain = verified.problems.map(({ problem }) => ({ check: "ledger", task: null, problem }));
  const problems = [...chain, ...checks.flatMap((check) => [...check(stored)])];
  return { tasks: stored.tasks.size, locks: stored.locks.length, events: verified.events, problems };
}

const pageSize = 1000;

async function load(ledger: Ledger): Promise<Stored> {
  const tasks = new Map<string, Task>();
  const attempts = new Map<string, Attempt>();
  for (let after = ""; ; ) {
    const page = await ledger.tasks({ after, limit: pageSize });
    for (const task of page) {
      tasks.set(task.key, task);
      const attempt = await ledger.attempt(task.key);
      if (attempt !== undefined) attempts.set(task.key, attempt);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = last.key;
  }
  return {
    tasks,
    attempts,
    locks: await ledger.locks({ active: true }),
    statesInEvents: await readStatesInEvents(ledger),
  };
}

async function readStatesInEvents(ledger: Ledger): Promise<Map<string, string>> {
  const statesInEvents = new Map<string, string>();
  for (let after = 0; ; ) {
    const page = await ledger.events({ after, limit: pageSize });
    for (const { task, to } of page) if (task !== null && to !== null) statesInEvents.set(task, to);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return statesInEvents;
    after = last.seq;
  }
}

type Check = (stored: Stored) => Iterable<Inconsistency>;

const checks: readonly Check[] = [
  statesMatchEvents,
  dependenciesHold,
  workIsHeld,
  locksAreOwned,
  locksAreDisjoint,
];

function* statesMatchEvents({ tasks, statesInEvents }: Stored): Iterable<Inconsistency> {
  for (const task of tasks.values()) {
    if (!isTaskState(task.state)) yield found("state", task.key, `\`${task.state}\` is not a state`);
    const last = statesInEvents.get(task.key);
    if (last !== task.state)
      yield found("events", task.key, `it is ${task.state}, but its events end at ${last ?? "nothing"}`);
  }
  for (const key of statesInEvents.keys())
    if (!tasks.has(key)) yield found("events", key, "it has events but does not exist");
}

const started = ["IN_PROGRESS", "REVIEW", "MERGED"];

function* dependenciesHold({ tasks }: Stored): Iterable<Inconsistency> {
  for (const task of tasks.values())
    for (const key of task.dependsOn) {
      const dependency = tasks.get(key);
      if (dependency === undefined)
        yield found("dependencies", task.key, `it depends on \`${key}\`, which does not exist`);
      else if (started.includes(task.state) && task.revertedBy == null && !isIn(dependency)) {
        const state = dependency.state === "MERGED" ? "rolled back" : dependency.state;
        yield found("dependencies", task.key, `it is ${task.state} although \`${key}\` is ${state}`);
      }
    }
}

function* workIsHeld({ tasks, attempts, locks }: Stored): Iterable<Inconsistency> {
  const holders = new Set(locks.map(({ task }) => task));
  for (const task of tasks.values()) {
    if (task.state !== "IN_PROGRESS") continue;
    const attempt = attempts.get(task.key);
    if (attempt === undefined || attempt.leaseState === "over" || !holders.has(task.key))
      yield found("work", task.key, "it is IN_PROGRESS without a lease and locks");
    else if (attempt.epoch !== task.epoch)
      yield found("work", task.key, `its epoch is ${task.epoch}, its attempt's ${attempt.epoch}`);
    if (task.agent === null) yield found("work", task.key, "it is IN_PROGRESS without an agent");
  }
}

function* locksAreOwned({ tasks, attempts, locks }: Stored): Iterable<Inconsistency> {
  for (const { task: key, resource, epoch } of locks) {
    const task = tasks.get(key);
    if (task === undefined)
      yield found("locks", key, `\`${resource}\` is held by a task that does not exist`);
    else if (task.state === "MERGED" || task.state === "FAILED")
      yield found("locks", key, `\`${resource}\` is still held although the task is ${task.state}`);
    else if (epoch !== attempts.get(key)?.epoch)
      yield found("locks", key, `\`${resource}\` is held under epoch ${epoch}, which is not current`);
  }
}

/** INV-1: locks of different tasks do not overlap. */
function* locksAreDisjoint({ locks }: Stored): Iterable<Inconsistency> {
  const index = new PathIndex();
  for (const { task, kind, resource, shapes } of locks) {
    if (kind !== "path") continue;
    const entry = entryFrom(resource, shapes);
    const held = index.overlapping(entry, task);
    if (held !== undefined)
      yield found(
        "locks",
        task,
        resource === held.text
          ? `\`${resource}\` is also locked by \`${held.owner}\``
          : `\`${resource}\` overlaps \`${held.text}\`, which \`${held.owner}\` holds`,
      );
    index.add(task, entry);
  }
}

function found(check: string, task: string | null, problem: string): Inconsistency {
  return { check, task, problem };
}
