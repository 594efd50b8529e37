import { type Deny, deny } from "../rules/verdict.ts";
import type { TaskState } from "./states.ts";
import type { Actor, Task } from "./task.ts";
import type { TaskEvent, TaskEventType } from "./task-event.ts";
import { type Effect, type Transition, transitions } from "./transitions.ts";

/**
 * The task machine: `advance(task, event)` returns the resulting task, the steps taken and the required effects, or a
 * deny. It is a pure function and the only way to change a state.
 */
export interface MachineLimits {
  readonly reviewRetries: number;
  readonly sameError: number;
}

export interface Step {
  readonly event: TaskEvent;
  readonly from: TaskState;
  readonly to: TaskState;
}

export interface Advance {
  readonly task: Task;
  readonly steps: readonly Step[];
  readonly effects: ReadonlySet<Effect>;
}

/** The longest chain of follow-up events in the table; a longer one would be a cycle. */
const stepsMax = 4;

export function advance(
  task: Task,
  event: TaskEvent,
  { by, limits }: { readonly by: Actor; readonly limits: MachineLimits },
): Advance | Deny {
  const steps: Step[] = [];
  const effects = new Set<Effect>();
  let current = task;
  let actor = by;
  for (let pending: TaskEvent | undefined = event; pending !== undefined; actor = "system") {
    if (steps.length === stepsMax)
      throw new Error(`task ${task.key} has an endless chain of events after ${event.type}`);
    const row = rowFor(current, pending.type);
    if (row === undefined) return illegal(current, pending.type);
    const refused = whyRefused(row, current, { event: pending, actor, limits });
    if (refused !== undefined) return refused;
    current = { ...current, ...row.change(current, pending), state: row.to };
    steps.push({ event: pending, from: row.from, to: row.to });
    for (const effect of row.effects) effects.add(effect);
    pending = row.follow?.(current, pending, limits);
  }
  return { task: current, steps, effects };
}

/** The events that are legal in the task's state. */
export function legalEvents(task: Task): readonly TaskEventType[] {
  const rows = transitions.filter(({ from, when }) => from === task.state && (when?.(task) ?? true));
  return [...new Set(rows.map(({ event }) => event))];
}

function rowFor(task: Task, event: TaskEventType): Transition | undefined {
  return transitions.find(
    (row) => row.from === task.state && row.event === event && (row.when?.(task) ?? true),
  );
}

interface Asked {
  readonly event: TaskEvent;
  readonly actor: Actor;
  readonly limits: MachineLimits;
}

function whyRefused(row: Transition, task: Task, { event, actor, limits }: Asked): Deny | undefined {
  if (!row.by.includes(actor))
    return deny("R-AU-001", `only ${row.by.join(" or ")} may \`${row.event}\` task \`${task.key}\``, {
      state: task.state,
      caller: actor,
    });
  for (const guard of row.guards) {
    const refused = guard(task, event, limits);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** The commands that request an event; the other events follow from something else. */
const commands: Partial<Readonly<Record<TaskEventType, string>>> = {
  start: "lockstep dispatch",
  submit: "lockstep submit",
  merge: "lockstep complete",
  stop: "lockstep stop",
  retry: "lockstep task retry",
  escalate: "lockstep task escalate",
  resolve: "lockstep task resolve",
  cancel: "lockstep task cancel",
};

export function illegal(task: Task, event: TaskEventType): Deny {
  const legal = legalEvents(task);
  const named = legal.flatMap((one) => commands[one] ?? []).map((one) => `\`${one}\``);
  const help = named.length === 0 ? "that state is final" : `possible now: ${named.join(", ")}`;
  return deny("R-ST-001", `task \`${task.key}\` is ${task.state}, so \`${event}\` is not possible: ${help}`, {
    task_id: task.key,
    state: task.state,
    event,
    legal,
    transitions: [...new Set(transitions.filter(({ from }) => from === task.state).map(({ to }) => to))],
  });
}
