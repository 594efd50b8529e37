import { spendRetry } from "./counters.ts";
import {
  agentAssigned,
  dependenciesMerged,
  type EventOf,
  evidenceGiven,
  fixDeltaGiven,
  type Guard,
  mayRetry,
  noteGiven,
  reasonGiven,
  reviewsLeft,
} from "./guards.ts";
import { next } from "./next-task.ts";
import type { TaskState } from "./states.ts";
import type { Actor, Hold, Task } from "./task.ts";
import type { TaskEvent, TaskEventType } from "./task-event.ts";

/**
 * All transitions. For an event, the first row of its state whose `when` is true applies; its guards may still refuse
 * it. `effects` lists what happens outside the task. `follow` gives the event that must come next, so that no state
 * is ever skipped.
 */
export interface Transition<Type extends TaskEventType = TaskEventType> {
  readonly from: TaskState;
  readonly event: Type;
  readonly to: TaskState;
  readonly by: readonly Actor[];
  readonly when?: (task: Task) => boolean;
  readonly guards: readonly Guard<EventOf<Type>>[];
  readonly effects: readonly Effect[];
  change(task: Task, event: EventOf<Type>): Partial<Task>;
  follow?(task: Task, event: EventOf<Type>, limits: { reviewRetries: number; sameError: number }): Follow;
}

type Follow = TaskEvent | undefined;

/** What the engine has to do in the same ledger commit. */
export type Effect =
  | "open-attempt" // start a new epoch and lock the whole scope
  | "hold-lease" // keep the locks; the lease does not expire
  | "run-lease" // the lease can expire again
  | "release-locks" // the attempt is over
  | "stop-agent" // the task's agent must stop; its lease can expire again
  | "block-dependents"
  | "free-dependents";

type Extras<Type extends TaskEventType> = Partial<Omit<Transition<Type>, "from" | "event" | "to">>;

function row<Type extends TaskEventType>(
  from: TaskState,
  event: Type,
  to: TaskState,
  extras: Extras<NoInfer<Type>>,
): Transition {
  const whole = { from, event, to, by: ["system"], guards: [], effects: [], change: () => ({}), ...extras };
  // Rows of different events share one table; `rowFor` passes a row only its own kind of event.
  return whole as unknown as Transition;
}

const leads: readonly Actor[] = ["person", "orchestrator", "runner"];
const anyone: readonly Actor[] = ["person", "orchestrator", "attempt", "runner", "guard", "system"];
const endsByItself = ({ kind }: Hold) => kind === "lock" || kind === "dependency" || kind === "lost";
const wasRetried = (task: Task) => task.counters.block_retries > 0;

const denied = { by: anyone, change: next.denied } as const;
const deniedAgain = { by: anyone, when: wasRetried, change: next.denied, follow: next.escalation } as const;
const ended: readonly Effect[] = ["release-locks", "block-dependents"];
const orphaned = { change: next.orphaned } as const;
const escalated = { by: anyone, guards: [reasonGiven], change: next.escalated } as const;
const cancelled = { by: ["person", "runner"], guards: [reasonGiven], change: next.cancelled } as const;

export const transitions: readonly Transition[] = [
  row("PENDING", "start", "IN_PROGRESS", {
    by: leads,
    guards: [dependenciesMerged, agentAssigned],
    effects: ["open-attempt"],
    change: next.started,
  }),
  row("PENDING", "deny", "FAILED", { ...deniedAgain, effects: ended }),
  row("PENDING", "deny", "BLOCKED", denied),
  row("PENDING", "wait", "BLOCKED", { by: anyone, change: next.waiting }),
  row("PENDING", "orphan", "BLOCKED", orphaned),
  row("PENDING", "escalate", "ESCALATED", { ...escalated, effects: ["block-dependents"] }),
  row("PENDING", "cancel", "FAILED", { ...cancelled, effects: ended }),

  row("IN_PROGRESS", "submit", "REVIEW", {
    by: anyone,
    guards: [evidenceGiven],
    effects: ["hold-lease"],
  }),
  row("IN_PROGRESS", "deny", "FAILED", { ...deniedAgain, effects: ["stop-agent", ...ended] }),
  row("IN_PROGRESS", "deny", "BLOCKED", { ...denied, effects: ["stop-agent"] }),
  row("IN_PROGRESS", "block", "BLOCKED", {
    by: anyone,
    effects: ["stop-agent"],
    change: next.blocked,
    follow: next.afterReport,
  }),
  row("IN_PROGRESS", "orphan", "BLOCKED", { ...orphaned, effects: ["stop-agent"] }),
  row("IN_PROGRESS", "lose", "BLOCKED", {
    by: ["person", "runner", "system"],
    effects: ["stop-agent", "release-locks"],
    change: next.lost,
    follow: () => ({ type: "unblock" }),
  }),
  row("IN_PROGRESS", "stop", "BLOCKED", {
    by: ["person"],
    effects: ["stop-agent", "release-locks"],
    change: next.stopped,
  }),
  row("IN_PROGRESS", "halt", "FAILED", {
    effects: ["stop-agent", ...ended],
    change: next.halted,
    follow: next.escalation,
  }),
  row("IN_PROGRESS", "escalate", "ESCALATED", { ...escalated, effects: ["stop-agent", "block-dependents"] }),
  row("IN_PROGRESS", "cancel", "FAILED", { ...cancelled, effects: ["stop-agent", ...ended] }),

  row("REVIEW", "merge", "MERGED", {
    by: leads,
    effects: ["release-locks", "free-dependents"],
    change: next.merged,
  }),
  row("REVIEW", "reject", "REJECTED", {
    by: anyone,
    guards: [fixDeltaGiven],
    change: next.rejected,
    follow: next.afterRejection,
  }),
  row("REVIEW", "orphan", "BLOCKED", { ...orphaned, effects: ["run-lease"] }),
  row("REVIEW", "escalate", "ESCALATED", { ...escalated, effects: ["run-lease", "block-dependents"] }),
  row("REVIEW", "cancel", "FAILED", { ...cancelled, effects: ended }),

  row("REJECTED", "start", "IN_PROGRESS", {
    by: leads,
    guards: [fixDeltaGiven, reviewsLeft, dependenciesMerged, agentAssigned],
    effects: ["open-attempt"],
    change: (task, event) => ({
      ...next.started(task, event),
      // The guard knows the configured limit.
      counters: { ...task.counters, review_retries: task.counters.review_retries + 1 },
    }),
  }),
  row("REJECTED", "exhaust", "FAILED", { effects: ended }),
  row("REJECTED", "halt", "FAILED", { effects: ended, change: next.halted, follow: next.escalation }),
  row("REJECTED", "escalate", "ESCALATED", { ...escalated, effects: ["run-lease", "block-dependents"] }),
  row("REJECTED", "cancel", "FAILED", { ...cancelled, effects: ended }),

  row("BLOCKED", "retry", "PENDING", {
    by: leads,
    when: ({ hold }) => hold?.kind === "deny",
    guards: [mayRetry],
    change: (task) => ({ hold: null, counters: spendRetry(task.counters, "block_retries") ?? task.counters }),
  }),
  row("BLOCKED", "retry", "PENDING", {
    by: leads,
    when: ({ hold }) => hold?.kind === "reported",
    change: () => ({ hold: null }),
  }),
  row("BLOCKED", "retry", "PENDING", {
    by: ["person", "runner"],
    when: ({ hold }) => hold?.kind === "stopped",
    change: () => ({ hold: null }),
  }),
  row("BLOCKED", "unblock", "PENDING", {
    by: anyone,
    when: ({ hold }) => hold === null || endsByItself(hold),
    change: () => ({ hold: null }),
  }),
  row("BLOCKED", "deny", "FAILED", {
    by: anyone,
    when: ({ hold }) => hold?.kind === "deny",
    effects: ended,
    change: next.denied,
    follow: next.escalation,
  }),
  row("BLOCKED", "halt", "FAILED", { effects: ended, change: next.halted, follow: next.escalation }),
  row("BLOCKED", "escalate", "ESCALATED", { ...escalated, effects: ["block-dependents"] }),
  row("BLOCKED", "cancel", "FAILED", { ...cancelled, effects: ended }),

  row("FAILED", "escalate", "ESCALATED", escalated),

  row("ESCALATED", "resolve", "PENDING", {
    by: ["person", "runner"],
    guards: [noteGiven],
    effects: ["free-dependents"],
    change: next.resolved,
  }),
  row("ESCALATED", "cancel", "FAILED", { ...cancelled, effects: ended }),
];
