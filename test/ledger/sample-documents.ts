import { newSession as freshSession, type Session } from "../../src/core/session/session.ts";
import type { TaskState } from "../../src/core/tasks/states.ts";
import type { Task } from "../../src/core/tasks/task.ts";
import { newTask as freshTask } from "../../src/engine/dispatch/new-task.ts";
import type {
  Attempt,
  Committed,
  Decision,
  Ledger,
  NewEvent,
  NewLock,
  Role,
  StoredRun,
} from "../../src/ledger/ledger.ts";

export const at = "2026-02-14T20:00:00.000Z";

export function newTask(key: string, more: Partial<Task> = {}): Task {
  const name = { key, id: key.split("/").at(-1) ?? key, session: null };
  const fields = { title: `title of ${key}`, assignment: { objective: "make it work" } };
  return { ...freshTask(name, at), ...fields, ...more };
}

export function newAttempt(task: string, more: Partial<Attempt> = {}): Attempt {
  return {
    task,
    number: 1,
    epoch: 1,
    version: 0,
    agent: "agent",
    lease: { boot: "b", beatMs: 1000, timeoutSeconds: 60 },
    leaseState: "running",
    startedAt: at,
    startedMs: 1000,
    beatAt: at,
    endedAt: null,
    tokens: 0,
    worklogBytes: 0,
    warned: [],
    runner: { pid: 12, startedAt: "345", boot: "b" },
    ...more,
  };
}

export function newDecision(id: string, more: Partial<Decision> = {}): Decision {
  return {
    id,
    version: 0,
    kind: "widen",
    task: "T-1",
    question: "may it?",
    options: ["yes", "no"],
    data: null,
    state: "pending",
    answer: null,
    askedAt: at,
    answeredAt: null,
    ...more,
  };
}

export function newSession(name: string, more: Partial<Session> = {}): Session {
  const given = { name, goal: "round prices", mode: "full", base: "main", baseCommit: "4b825dc" } as const;
  return { ...freshSession(given, at), ...more };
}

export function newRole(name: string, more: Partial<Role> = {}): Role {
  const lease = { boot: "b", beatMs: 1000, timeoutSeconds: 60 };
  return { name, version: 0, epoch: 1, holder: null, lease, leaseState: "running", ...more };
}

/** A lock on a plain path, or on a glob up to `*` and `**`. */
export function newLock(task: string, resource: string, more: Partial<NewLock> = {}): NewLock {
  const segments = resource === "" ? [] : resource.split("/");
  const stored = segments.map((one) => (one === "**" ? null : one.includes("*") ? { glob: one } : one));
  return {
    task,
    epoch: 1,
    kind: "path",
    resource,
    shapes: [{ segments: stored, deep: true }],
    takenAt: at,
    ...more,
  };
}

export function newRun(key: string, more: Partial<StoredRun> = {}): StoredRun {
  const digest = `sha256:${"0".repeat(64)}`;
  return {
    key,
    command: "npm test",
    tree: "4b825dc",
    exit: 0,
    seconds: 1.5,
    digest,
    tail: "ok\n",
    at,
    ...more,
  };
}

export function newEvent(task: string | null, more: Partial<NewEvent> = {}): NewEvent {
  return {
    at,
    type: "task.noted",
    actor: "person",
    cause: "test",
    task,
    from: null,
    to: null,
    data: null,
    ...more,
  };
}

export function stateEvent(task: string, from: TaskState | null, to: TaskState): NewEvent {
  return newEvent(task, { type: `task.${to.toLowerCase()}`, from, to });
}

/** A change that creates these tasks. */
export function creating(...tasks: readonly Task[]) {
  return { tasks, events: tasks.map(({ key, state }) => stateEvent(key, null, state)) };
}

/** A change that moves a task to a state. */
export function moving(task: Task, state: TaskState) {
  return { tasks: [{ ...task, state }], events: [stateEvent(task.key, task.state, state)] };
}

export function committed(result: Committed): number {
  if (!("ok" in result)) throw new Error(`not committed: ${result.conflict}`);
  return result.seq;
}

/** The whole readable content. */
export async function dumpOf(ledger: Ledger) {
  const tasks = await ledger.tasks();
  return {
    tasks,
    attempts: await Promise.all(tasks.map(({ key }) => ledger.attempt(key))),
    running: await ledger.runningAttempts(),
    dependents: await Promise.all(tasks.map(({ key }) => ledger.dependents(key))),
    waiting: await Promise.all(tasks.map(({ key }) => ledger.waitingFor(key))),
    locks: await ledger.locks(),
    near: await ledger.locksNear([""]),
    fence: await ledger.fence(),
    events: await ledger.events(),
    breaker: await ledger.setting("breaker"),
    intents: await ledger.intents(),
    decisions: await ledger.decisions(),
    answered: await Promise.all(["r-1", "r-2", "r-3"].map((key) => ledger.answered(key))),
    secret: ledger.secret(),
  };
}
