import type { TaskState } from "../tasks/states.ts";
import { Occupied } from "./occupied.ts";
import { pickDisjoint } from "./plan-batches.ts";
import type { PlanLimits, PlannedTask } from "./planned-task.ts";
import type { Stand, Standing } from "./standing.ts";

interface Mode {
  readonly mode: "batch" | "continuous";
  readonly limits: PlanLimits;
  /** Tasks that still run although their batch is closed. */
  readonly late?: ReadonlySet<string>;
}

/**
 * The tasks that may start now, in order. Rejected tasks come first, because they still hold their locks.
 * `batch`: new tasks start only when the batch before is finished, except for late tasks. `continuous`: new tasks
 * start as soon as there is room.
 */
export function nextTasks<Task extends PlannedTask>(
  standing: Standing<Task>,
  { mode, limits, late }: Mode,
): readonly (Task & Stand)[] {
  const held = standing.held();
  const room = roomBeside(held, limits);
  if (room <= 0) return [];
  const rejected = held.filter((task) => task.state === "REJECTED" && standing.isReady(task));
  const rework = rejected.slice(0, room);
  const isOpen = ({ id, isWithPerson }: Task & Stand) => isWithPerson !== true && late?.has(id) !== true;
  if (mode === "batch" && held.some(isOpen)) return rework;
  const occupied = new Occupied(limits.resources);
  for (const task of held) occupied.take(task);
  return [...rework, ...pickDisjoint(standing.ready(), occupied, room - rework.length)];
}

/**
 * How many more tasks may start. Too many tasks in review delay new ones. Tasks that wait for a person do not count.
 */
function roomBeside(held: readonly Stand[], { maxParallel, maxReview, maxActive }: PlanLimits): number {
  const count = (wanted: TaskState) =>
    held.filter(({ state, isWithPerson }) => state === wanted && isWithPerson !== true).length;
  const running = count("IN_PROGRESS");
  const inReview = count("REVIEW");
  return inReview > maxReview ? 0 : Math.min(maxParallel - running, maxActive - running - inReview);
}
