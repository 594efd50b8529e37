import type { Moment } from "../../core/leases/clock.ts";
import { ageSeconds, hasLapsed, isGone, isHere } from "../../core/leases/lease.ts";
import { endingAt, type Threshold } from "../../core/loops/budgets.ts";
import { allow } from "../../core/rules/verdict.ts";
import { haltDetails } from "../../core/tasks/halt-details.ts";
import type { Refusal, Task } from "../../core/tasks/task.ts";
import type { TaskEvent } from "../../core/tasks/task-event.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import { releaseLocks } from "../change/carry-effects.ts";
import { system } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { loadTask } from "../change/fence.ts";
import { fingerprintOf } from "../change/refusals.ts";
import { settle } from "../change/settle.ts";
import { askToContinue } from "../decisions/ask-continue.ts";

/** Why an attempt cannot continue. The first reason that applies is used. */
export type End =
  /** The process or the machine that ran it is gone: not the agent's fault, so it costs no retry. */
  | { readonly kind: "lost" }
  | { readonly kind: "late"; readonly ageSeconds: number }
  | { readonly kind: "overtime"; readonly minutes: number };

export interface Grace {
  /** A time on the monotonic clock from which every attempt has a full lease. */
  readonly notBeforeMs?: number | undefined;
}

type GoneMachines = ReadonlySet<string | undefined>;

/** The machines that run some of these attempts and are gone. */
export async function goneMachines(
  { ledger, clock, machine }: Engine,
  attempts: readonly Attempt[],
  { notBeforeMs }: Grace = {},
): Promise<GoneMachines> {
  const elsewhere = attempts.filter((attempt) => !isHere(attempt, machine));
  if (elsewhere.length === 0) return new Set();
  const beats = new Map((await ledger.machines()).map(({ id, beatMs }) => [id, beatMs]));
  const now = clock.now();
  const isLost = (id = "") => isGone({ beatMs: beats.get(id) ?? -Infinity }, now, notBeforeMs);
  return new Set(elsewhere.map((attempt) => attempt.machine).filter(isLost));
}

export function endOf(
  engine: Engine,
  attempt: Attempt,
  { notBeforeMs, gone }: Grace & { readonly gone: GoneMachines },
): End | undefined {
  if (attempt.leaseState !== "running") return undefined;
  const now = engine.clock.now();
  // A process that runs an agent ends it before its machine counts as gone. Without such a process, only the lease counts.
  const isLost =
    attempt.runner !== null && (engine.isAlive(attempt.runner) === "no" || gone.has(attempt.machine));
  if (isLost) return { kind: "lost" };
  if (hasLapsed(attempt.lease, now, notBeforeMs))
    return { kind: "late", ageSeconds: ageSeconds(attempt.lease, now) };
  const minutes = minutesOf(attempt, now, notBeforeMs);
  const { halt } = minutesOfAttempt(engine, attempt);
  return halt !== null && minutes >= halt ? { kind: "overtime", minutes } : undefined;
}

/** The time limit of an attempt, and when it is warned. */
export function minutesOfAttempt({ limits }: Pick<Engine, "limits">, { minutesMax }: Attempt): Threshold {
  return minutesMax === undefined ? limits.minutes : endingAt(limits.minutes, minutesMax);
}

function minutesOf({ startedMs }: Attempt, { monoMs }: Moment, notBeforeMs = -Infinity): number {
  return (monoMs - Math.max(startedMs, notBeforeMs)) / 60_000;
}

/** Ends an attempt if there is still a reason to. Returns whether it did. */
export async function reclaim(
  engine: Engine,
  task: string,
  { cause, ...grace }: Grace & { readonly cause: string },
): Promise<boolean> {
  let ended = false;
  await settle(engine, { operation: cause, input: task, call: system }, async () => {
    ended = false;
    const { task: stored, attempt } = (await loadTask(engine, task)) ?? {};
    const found = attempt === undefined ? undefined : await findEnd(engine, attempt, grace);
    if (attempt === undefined || stored === undefined || found === undefined) return { verdict: allow() };
    const end: End =
      found.kind === "late" && (await isMachineGone(engine, attempt)) ? { kind: "lost" } : found;
    const draft = new Draft(engine, { by: system, cause }).seen({ task: stored, attempt });
    await endAttempt(draft, { task: stored, attempt, end, limit: minutesOfAttempt(engine, attempt).halt });
    if (draft.isEmpty) return { verdict: allow() };
    ended = true;
    const halted = end.kind === "overtime" ? await draft.task(task) : undefined;
    const decisions = halted === undefined ? [] : await askToContinue(draft, halted);
    return { verdict: allow(), change: await draft.toChange({ decisions, relieves: true }) };
  });
  return ended;
}

/** A machine whose processes use the ledger is seen every second; this is long enough for a restart of the server. */
const unseenSecondsMax = 60;

/** Whether the machine of a late attempt has not been seen either, so that the agent is not to blame. */
async function isMachineGone({ ledger, clock, machine }: Engine, attempt: Attempt): Promise<boolean> {
  if (attempt.machine === undefined || attempt.machine === machine) return false;
  const seenMs = (await ledger.machines()).find(({ id }) => id === attempt.machine)?.beatMs ?? -Infinity;
  const patienceMs = Math.min(unseenSecondsMax, attempt.lease.timeoutSeconds) * 1000;
  return clock.now().monoMs - seenMs > patienceMs;
}

export async function reclaimIfLapsed(engine: Engine, task: string, cause: string): Promise<boolean> {
  const attempt = await engine.ledger.attempt(task);
  if (attempt === undefined || (await findEnd(engine, attempt)) === undefined) return false;
  return reclaim(engine, task, { cause });
}

async function findEnd(engine: Engine, attempt: Attempt, grace: Grace = {}): Promise<End | undefined> {
  return endOf(engine, attempt, { ...grace, gone: await goneMachines(engine, [attempt], grace) });
}

async function endAttempt(
  draft: Draft,
  { task, attempt, end, limit }: { task: Task; attempt: Attempt; end: End; limit: number | null },
): Promise<void> {
  if (task.state === "IN_PROGRESS") {
    const event = eventOf(task, attempt, end, limit);
    const moved = await draft.apply(task, event, "system");
    if ("allow" in moved) throw new Error(`task ${task.key} cannot be reclaimed: ${moved.reason}`);
  } else if (end.kind === "overtime")
    return; // the work is submitted, and its lease is still valid
  else draft.note({ type: "locks.released", task: task.key, from: null, to: null, data: { end } });
  await releaseLocks(draft, task);
}

function eventOf(task: Task, attempt: Attempt, end: End, limit: number | null): TaskEvent {
  if (end.kind === "lost") return { type: "lose", reason: "runner_lost" };
  const refusal =
    end.kind === "late"
      ? lateRefusal(task, attempt, end.ageSeconds)
      : overtimeRefusal(task, end.minutes, limit);
  return end.kind === "late"
    ? { type: "deny", refusal, fingerprint: fingerprintOf(refusal) }
    : { type: "halt", refusal };
}

function lateRefusal(task: Task, { lease, beatAt }: Attempt, age: number): Refusal {
  const silence = Number.isFinite(age) ? `for ${Math.floor(age)} s` : "since the machine was restarted";
  return {
    code: "R-WD-001",
    reason: `task \`${task.key}\` sent no heartbeat ${silence}; its timeout is ${lease.timeoutSeconds} s`,
    details: { last_heartbeat_at: beatAt, timeout_seconds: lease.timeoutSeconds },
  };
}

function overtimeRefusal(task: Task, used: number, limit: number | null): Refusal {
  // A limit below one minute is shown with two decimals.
  const steps = used < 1 ? 100 : 10;
  const minutes = Math.floor(used * steps) / steps;
  return {
    code: "R-BG-001",
    reason: `task \`${task.key}\` has run for ${minutes} minutes, which is its limit`,
    details: haltDetails(task, { signal: "minutes", minutes, limit }),
  };
}
