import type { Task } from "../../core/tasks/task.ts";
import { isObject } from "../../core/values/fields.ts";

/** True if a retry would repeat what was refused: neither the assignment nor its revision changed. */
export function sameAssignment(before: Task, after: Task): boolean {
  if ((after.contextRevision ?? 0) > (before.contextRevision ?? 0)) return false;
  return canonical(before.assignment) === canonical(after.assignment);
}

/** The order of keys is irrelevant. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
