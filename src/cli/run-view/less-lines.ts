import { field } from "../../core/points/fields.ts";
import type { TaskStatus } from "../../engine/read-status.ts";
import { style } from "../style.ts";
import { printable } from "../table.ts";
import { isMerged } from "./task-words.ts";

type Weakened = Partial<Pick<TaskStatus, "weakened">>;

/** What is verified less than before a task. */
export function lessWords({ weakened = [] }: Weakened): readonly string[] {
  return weakened.map(
    (less) =>
      `${style.red("tests weakened:")} ${printable(`${field(less, "path")}: ${field(less, "what")}`)}`,
  );
}

/** Of all tasks that are in, each line with its task. */
export function lessLines(tasks: readonly TaskStatus[], nameOf: (key: string) => string): readonly string[] {
  return tasks
    .filter(isMerged)
    .flatMap((task) => lessWords(task).map((words) => `${nameOf(task.id)}  ${words}`));
}
