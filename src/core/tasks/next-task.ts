import { addCost, type Spent } from "../loops/budgets.ts";
import { nextStreak } from "../reports/error-streak.ts";
import { noRetries } from "./counters.ts";
import type { EventOf } from "./guards.ts";
import type { MachineLimits } from "./machine.ts";
import type { Refusal, Task } from "./task.ts";
import type { More, TaskEvent } from "./task-event.ts";

/** The changes that each event makes to a task besides its state. */
export const next = {
  started: (task: Task, { agent }: EventOf<"start">): Partial<Task> => ({
    agent,
    hold: null,
    refusal: null,
    attempts: task.attempts + 1,
    result: null,
    evidence: [],
  }),

  denied: (task: Task, { refusal, fingerprint }: EventOf<"deny">): Partial<Task> => ({
    refusal,
    hold: { kind: "deny", by: null },
    streak: nextStreak(task.streak, fingerprint),
  }),

  blocked: (task: Task, { refusal, fingerprint }: EventOf<"block">): Partial<Task> => ({
    refusal,
    hold: { kind: "reported", by: null },
    streak: nextStreak(task.streak, fingerprint),
  }),

  waiting: (_task: Task, { refusal, hold }: EventOf<"wait">): Partial<Task> => ({ refusal, hold }),

  orphaned: (_task: Task, { refusal, by }: EventOf<"orphan">): Partial<Task> => ({
    refusal,
    hold: { kind: "dependency", by },
  }),

  lost: (_task: Task, { reason }: EventOf<"lose">): Partial<Task> => ({
    refusal: { code: null, reason, details: {} },
    hold: { kind: "lost", by: null },
  }),

  stopped: (): Partial<Task> => ({
    refusal: { code: null, reason: "stopped by a person", details: {} },
    hold: { kind: "stopped", by: null },
  }),

  halted: (_task: Task, { refusal }: EventOf<"halt">): Partial<Task> => ({ refusal, hold: null }),

  rejected: (task: Task, { fixDelta, fingerprint }: EventOf<"reject">): Partial<Task> => ({
    fixDelta,
    refusal:
      fixDelta === null
        ? task.refusal
        : { code: fixDelta.code, reason: fixDelta.reason, details: fixDelta.details },
    streak: nextStreak(task.streak, fingerprint),
  }),

  merged: (_task: Task, { commit, proof }: EventOf<"merge">): Partial<Task> => ({
    commit,
    proof,
    hold: null,
    refusal: null,
    fixDelta: null,
    streak: null,
  }),

  /** The code of the last refusal stays, because it is why a person is asked. */
  escalated: (task: Task, { reason, recommendation }: EventOf<"escalate">): Partial<Task> => {
    const escalation = recommendation === null ? { reason } : { reason, recommendation };
    const refusal: Refusal = task.refusal ?? { code: null, reason, details: {} };
    return { hold: null, refusal: { ...refusal, details: { ...refusal.details, escalation } } };
  },

  cancelled: (_task: Task, { reason }: EventOf<"cancel">): Partial<Task> => ({
    hold: null,
    refusal: { code: null, reason: `cancelled: ${reason}`, details: { cancelled: true } },
  }),

  /** A person's answer starts the task afresh and resets every budget, or with `more` lets it continue. */
  resolved: (task: Task, { note, more }: EventOf<"resolve">): Partial<Task> => ({
    resolution: note,
    hold: null,
    refusal: null,
    ...(more === undefined
      ? { counters: noRetries, ...forgiven(task), allowed: null, streak: null, fixDelta: null }
      : { allowed: allowedWith(task, more), continued: { minutes: minutesIn(more) } }),
  }),

  /** Too many rejections, or the same error too many times, end the task. */
  afterRejection: (task: Task, _event: TaskEvent, limits: MachineLimits): TaskEvent | undefined =>
    haltOf(task, limits) ??
    (task.counters.review_retries >= limits.reviewRetries ? { type: "exhaust" } : undefined),

  afterReport: (task: Task, _event: TaskEvent, limits: MachineLimits): TaskEvent | undefined =>
    haltOf(task, limits),

  escalation: (task: Task): TaskEvent => ({
    type: "escalate",
    reason: task.refusal?.reason ?? "the task failed repeatedly",
    recommendation: recommendationFor(task),
  }),
};

function haltOf({ streak, refusal }: Task, limits: MachineLimits): TaskEvent | undefined {
  if (streak === null || refusal === null || streak.count < limits.sameError) return undefined;
  const halt = { signal: "same_error", count: streak.count };
  return { type: "halt", refusal: { ...refusal, details: { ...refusal.details, halt } } };
}

/** Conflicts over paths are solved by running tasks one after the other, a scope that is too small by a person. */
function recommendationFor({ refusal }: Task): string {
  const code = refusal?.code ?? "";
  if (code === "R-PO-002")
    return "the scope may be too small: widen it, or resolve the task with a note that says what to leave alone";
  const overPaths = /^R-(?:PD-00[23]|PW|LK|PE-002)/.test(code);
  return overPaths
    ? "replan serially: run it alone, after the tasks that share its paths"
    : "try another model";
}

/** The new limit: the amount on top of what the task has spent so far. */
function allowedWith(task: Task, { signal, amount }: More): NonNullable<Task["allowed"]> {
  const { tokens, cost_usd: cost } = spentOf(task);
  if (signal === "tokens") return { ...task.allowed, tokens: tokens + amount };
  return signal === "cost_usd"
    ? { ...task.allowed, cost_usd: addCost(cost, amount) ?? amount }
    : { ...task.allowed };
}

function minutesIn({ signal, amount }: More): number | null {
  return signal === "minutes" ? amount : null;
}

/** The amounts that count against the task's budgets. */
export function spentOf({ tokens, tokensForgiven, usage, costForgiven = 0 }: Task): Spent {
  const cost = usage?.costUsd ?? null;
  return { tokens: tokens - tokensForgiven, cost_usd: cost === null ? null : addCost(cost, -costForgiven) };
}

/** Resets the budgets: what the task has spent so far no longer counts. */
export function forgiven({ tokens, usage }: Task): Partial<Task> {
  return { tokensForgiven: tokens, ...(usage?.costUsd == null ? {} : { costForgiven: usage.costUsd }) };
}
