import type { TaskState } from "../tasks/states.ts";
import { Occupied } from "./occupied.ts";
import { pickDisjoint } from "./plan-batches.ts";
import type { PlanLimits, PlannedTask } from "./planned-task.ts";
import type { Stand, Standing } from "./standing.ts";

interface Mode<Task> {
  readonly mode: "batch" | "continuous";
  readonly limits: PlanLimits;
  /** Tasks that still run although their batch is closed. */
  readonly late?: ReadonlySet<string>;
  /** Whether this machine can do the task; absent: it can do every task. */
  mayStart?(task: Task): boolean;
}

/**
 * The tasks that may start now, in order. Rejected tasks come first, because they still hold their locks.
 * `batch`: new tasks start only when the batch before is finished, except for late tasks. `continuous`: new tasks
 * start as soon as there is room.
 */
export function nextTasks<Task extends PlannedTask>(
  standing: Standing<Task>,
  { mode, limits, late, mayStart = () => true }: Mode<Task & Stand>,
): readonly (Task & Stand)[] {
  const held = standing.held();
  const room = roomBeside(held, limits);
  if (room <= 0) return [];
  const rejected = held.filter(
    (task) => task.state === "REJECTED" && standing.isReady(task) && mayStart(task),
  );
  const rework = rejected.slice(0, room);
  const isOpen = ({ id, isWithPerson }: Task & Stand) => isWithPerson !== true && late?.has(id) !== true;
  if (mode === "batch" && held.some(isOpen)) return rework;
  const occupied = new Occupied(limits.resources);
  for (const task of held) occupied.take(task);
  return [...rework, ...pickDisjoint(those(standing.ready(), mayStart), occupied, room - rework.length)];
}

function* those<Task>(tasks: Iterable<Task>, wanted: (task: Task) => boolean): Iterable<Task> {
  for (const task of tasks) if (wanted(task)) yield task;
}

/**
 * How many more tasks may start here. Too many tasks in review delay new ones. Tasks that wait for a person do not count,
 * and those of other machines take no place of this one.
 */
function roomBeside(held: readonly Stand[], { maxParallel, maxReview, maxActive }: PlanLimits): number {
  const count = (wanted: TaskState) =>
    held.filter(({ state, isWithPerson }) => state === wanted && isWithPerson !== true).length;
  const running = count("IN_PROGRESS");
  const inReview = count("REVIEW");
  const here =
    running - held.filter(({ state, isElsewhere }) => state === "IN_PROGRESS" && isElsewhere).length;
  return inReview > maxReview ? 0 : Math.min(maxParallel - here, maxActive - running - inReview);
}
