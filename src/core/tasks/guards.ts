import { type Deny, deny } from "../rules/verdict.ts";
import type { MachineLimits } from "./machine.ts";
import type { Task } from "./task.ts";
import type { TaskEvent, TaskEventType } from "./task-event.ts";

export type EventOf<Type extends TaskEventType> = Extract<TaskEvent, { type: Type }>;

/** Returns why an event is refused although it is legal in the state. */
export type Guard<Event extends TaskEvent> = (
  task: Task,
  event: Event,
  limits: MachineLimits,
) => Deny | undefined;

export const dependenciesMerged: Guard<EventOf<"start">> = (task, { waitingFor }) =>
  waitingFor.length === 0
    ? undefined
    : deny("R-PE-001", `task \`${task.key}\` waits for \`${waitingFor.join("`, `")}\`: merge that first`, {
        task_id: task.key,
        waiting_for: waitingFor,
      });

export const agentAssigned: Guard<EventOf<"start">> = (task, { agent }) =>
  isBlank(agent)
    ? deny("R-PD-001", `no agent is assigned to task \`${task.key}\`: name one`, { field: "agent" })
    : undefined;

export const fixDeltaGiven: Guard<EventOf<"start" | "reject">> = (task, event) =>
  (event.type === "start" ? task.fixDelta : event.fixDelta) !== null
    ? undefined
    : deny("R-ST-001", `task \`${task.key}\` has no fix delta: say what the next attempt has to fix`, {
        state: task.state,
      });

export const reviewsLeft: Guard<EventOf<"start">> = (task, _event, limits) =>
  task.counters.review_retries < limits.reviewRetries
    ? undefined
    : deny("R-RT-001", `task \`${task.key}\` has been reworked ${limits.reviewRetries} times: escalate it`, {
        review_retries: task.counters.review_retries,
      });

export const evidenceGiven: Guard<EventOf<"submit">> = (task, { hasEvidence }) =>
  hasEvidence
    ? undefined
    : deny(
        "R-PC-003",
        `task \`${task.key}\` was submitted without evidence: report the changed files and the commands that were run`,
        {
          state: task.state,
        },
      );

/** Allows exactly one retry after a deny, and only with a changed assignment. */
export const mayRetry: Guard<EventOf<"retry">> = (task, { assignmentChanged }) => {
  const spent = task.counters.block_retries;
  const details = { block_retries: spent };
  if (spent >= 1)
    return deny(
      "R-RT-001",
      `task \`${task.key}\` was retried once already: escalate it to a person`,
      details,
    );
  if (assignmentChanged) return undefined;
  return deny(
    "R-RT-001",
    `the assignment of task \`${task.key}\` is unchanged: change it or raise context_revision, then retry`,
    details,
  );
};

export const reasonGiven: Guard<EventOf<"escalate" | "cancel">> = (task, { reason }) =>
  isBlank(reason) ? deny("R-IN-001", `say why: task \`${task.key}\` keeps the reason`) : undefined;

export const noteGiven: Guard<EventOf<"resolve">> = (task, { note }) =>
  isBlank(note)
    ? deny("R-IN-001", `say how task \`${task.key}\` is resolved: \`--note TEXT\``, { field: "note" })
    : undefined;

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === "";
}
