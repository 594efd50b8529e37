import type { TaskState } from "../core/tasks/states.ts";
import { compareNames } from "../core/text/compare-names.ts";
import type { ShownTask } from "./task-words.ts";

/** Running tasks first, merged ones last. */
const order: readonly TaskState[] = [
  "IN_PROGRESS",
  "REVIEW",
  "REJECTED",
  "ESCALATED",
  "BLOCKED",
  "FAILED",
  "PENDING",
  "MERGED",
];

export function inOrder<Task extends Pick<ShownTask, "key" | "state">>(tasks: readonly Task[]): Task[] {
  return inShownOrder(tasks, (key) => key);
}

/** By state, then by the name that is shown: T-2 before T-10. */
export function inShownOrder<Task extends Pick<ShownTask, "key" | "state">>(
  tasks: readonly Task[],
  nameOf: (key: string) => string,
): Task[] {
  return tasks
    .map((task) => ({ task, rank: order.indexOf(task.state), name: nameOf(task.key) }))
    .sort((one, other) => one.rank - other.rank || compareNames(one.name, other.name))
    .map(({ task }) => task);
}
