import type { TaskState } from "../tasks/states.ts";
import { isIn } from "../tasks/task.ts";
import { Occupied } from "./occupied.ts";
import { pickDisjoint } from "./plan-batches.ts";
import type { PlanLimits, TaskNow } from "./planned-task.ts";

/** States in which a task holds its locks. What other states still hold, dispatching finds out. */
const holding: readonly TaskState[] = ["IN_PROGRESS", "REVIEW", "REJECTED"];

/**
 * The tasks that may start now, in order. Work that was rejected comes first: it still holds its locks.
 * `batch`: new ones start only when nothing is left of the batch before. `continuous`: as soon as there is room.
 */
export function nextTasks<Task extends TaskNow>(
  tasks: readonly Task[],
  { mode, limits }: { readonly mode: "batch" | "continuous"; readonly limits: PlanLimits },
): readonly Task[] {
  const held = tasks.filter(({ state }) => holding.includes(state));
  const room = roomBeside(held, limits);
  if (room <= 0) return [];
  const merged = new Set(tasks.filter(isIn).map(({ id }) => id));
  const isReady = ({ dependsOn }: Task) => dependsOn.every((id) => merged.has(id));
  const rework = held.filter((task) => task.state === "REJECTED" && isReady(task)).slice(0, room);
  if (mode === "batch" && held.length > 0) return rework;

  const occupied = new Occupied(limits.resources);
  for (const task of held) occupied.take(task);
  const ready = function* () {
    for (const task of tasks) if (task.state === "PENDING" && isReady(task)) yield task;
  };
  return [...rework, ...pickDisjoint(ready(), occupied, room - rework.length)];
}

/** How many more may start. Too many in review hold up what is new, never what is finished. */
function roomBeside(held: readonly TaskNow[], { maxParallel, maxReview, maxActive }: PlanLimits): number {
  const count = (wanted: TaskState) => held.filter(({ state }) => state === wanted).length;
  const running = count("IN_PROGRESS");
  const inReview = count("REVIEW");
  return inReview > maxReview ? 0 : Math.min(maxParallel - running, maxActive - running - inReview);
}
