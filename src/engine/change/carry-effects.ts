import type { Advance } from "../../core/tasks/machine.ts";
import { isDown } from "../../core/tasks/states.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import type { Effect } from "../../core/tasks/transitions.ts";
import type { Draft } from "./draft.ts";

/** A plan has a few hundred tasks; a walk over more than this indicates a bug. */
const tasksMax = 10_000;

/** Carries out, within one draft, the effects of a step. The dispatch itself handles `open-attempt`. */
export async function carryEffects(draft: Draft, { task, effects }: Advance): Promise<void> {
  for (const effect of effects) await carriers[effect]?.(draft, task);
}

type Carrier = (draft: Draft, task: Task) => Promise<void>;

const carriers: Readonly<Partial<Record<Effect, Carrier>>> = {
  "hold-lease": (draft, task) => setLease(draft, task, "held"),
  "run-lease": (draft, task) => setLease(draft, task, "running"),
  "release-locks": releaseLocks,
  "stop-agent": stopAgent,
  "block-dependents": blockDependents,
  "free-dependents": freeDependents,
};

async function setLease(draft: Draft, task: Task, leaseState: "held" | "running"): Promise<void> {
  const attempt = await draft.attempt(task.key);
  if (attempt === undefined || attempt.leaseState === "over") return;
  const { boot, monoMs } = draft.engine.clock.now();
  draft.putAttempt({ ...attempt, leaseState, lease: { ...attempt.lease, boot, beatMs: monoMs } });
}

/**
 * Ends the attempt and unblocks the tasks that wait for its locks, at no cost of a retry. The task gets a new
 * version even if its state stays, so that no task starts to wait for it unnoticed.
 */
export async function releaseLocks(draft: Draft, task: Task): Promise<void> {
  draft.release(task.key);
  draft.putTask((await draft.task(task.key)) ?? task);
  const attempt = await draft.attempt(task.key);
  if (attempt !== undefined && attempt.leaseState !== "over")
    draft.putAttempt({ ...attempt, leaseState: "over", endedAt: draft.at });
  for (const waiting of await waitingFor(draft, task.key))
    if (waiting.hold?.kind === "lock") await draft.apply(waiting, { type: "unblock" }, "system");
}

/**
 * The agent's next heartbeat is refused, and then its runner stops it, so no notification is needed. A person
 * sends no heartbeats, so a lease held by a person starts to run again.
 */
async function stopAgent(draft: Draft, task: Task): Promise<void> {
  const attempt = await draft.attempt(task.key);
  if (attempt?.leaseState === "held") await setLease(draft, task, "running");
}

/** All unfinished tasks downstream wait until the failed task is resolved. */
async function blockDependents(draft: Draft, failed: Task): Promise<void> {
  const seen = new Set([failed.key]);
  const open = [failed.key];
  for (let key = open.pop(); key !== undefined && seen.size < tasksMax; key = open.pop())
    for (const found of await draft.engine.ledger.dependents(key)) {
      if (seen.has(found.key)) continue;
      seen.add(found.key);
      const task = (await draft.task(found.key)) ?? found;
      if (task.state === "MERGED") continue;
      open.push(task.key);
      if (["PENDING", "IN_PROGRESS", "REVIEW"].includes(task.state))
        await draft.apply(task, orphanOf(task, failed.key), "system");
    }
}

export function orphanOf(task: Task, failed: string) {
  const reason = `task \`${failed}\`, which \`${task.key}\` depends on, failed: resolve it first`;
  const refusal = { code: "R-DP-001", reason, details: { dependency: failed } } as const;
  return { type: "orphan", refusal, by: failed } as const;
}

async function freeDependents(draft: Draft, resolved: Task): Promise<void> {
  for (const waiting of await waitingFor(draft, resolved.key)) {
    if (waiting.hold?.kind !== "dependency") continue;
    const by = await stillBlocking(draft, waiting);
    if (by === undefined) {
      await draft.apply(waiting, { type: "unblock" }, "system");
      continue;
    }
    draft.putTask({ ...waiting, hold: { kind: "dependency", by } });
    // The task that is waited for from now on gets a new version, so that it cannot end without noticing the
    // waiting task.
    const other = await draft.task(by);
    if (other !== undefined) draft.putTask(other);
  }
}

/** A failed task upstream; or, for a task that was dispatched too early, any dependency that is not merged. */
async function stillBlocking(draft: Draft, waiting: Task): Promise<string | undefined> {
  const down = await downUpstream(draft, waiting);
  if (down !== undefined || waiting.refusal?.code === "R-DP-001") return down;
  return (await unmerged(draft, waiting)).at(0);
}

/** The first failed task that this one depends on, directly or through others. */
export async function downUpstream(draft: Draft, task: Task): Promise<string | undefined> {
  const seen = new Set<string>();
  const open = [...task.dependsOn];
  for (let key = open.pop(); key !== undefined && seen.size < tasksMax; key = open.pop()) {
    if (seen.has(key)) continue;
    seen.add(key);
    const found = await draft.task(key);
    if (found === undefined || found.state === "MERGED") continue;
    if (isDown(found.state)) return key;
    open.push(...found.dependsOn);
  }
  return undefined;
}

/** A dependency that is not in the ledger counts as not merged. */
export async function unmerged(draft: Draft, { dependsOn }: Pick<Task, "dependsOn">): Promise<string[]> {
  const waiting: string[] = [];
  for (const key of dependsOn) {
    const dependency = await draft.task(key);
    if (dependency === undefined || !isIn(dependency)) waiting.push(key);
  }
  return waiting;
}

async function waitingFor(draft: Draft, key: string): Promise<readonly Task[]> {
  const stored = await draft.engine.ledger.waitingFor(key);
  const current = await Promise.all(stored.map(async (task) => (await draft.task(task.key)) ?? task));
  return current.filter(({ state, hold }) => state === "BLOCKED" && hold?.by === key);
}
