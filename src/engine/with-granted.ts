import { PathIndex } from "../core/paths/path-index.ts";
import { readEntries } from "../core/paths/scope.ts";
import { field, isStringList } from "../core/points/fields.ts";
import { containerOf } from "../core/points/forbidden-container.ts";
import type { Details } from "../core/rules/verdict.ts";
import type { Task } from "../core/tasks/task.ts";
import type { Engine } from "./engine.ts";

/** An assignment whose scope has what the task was granted before, but for what it forbids now. */
export function withGranted(
  assignment: Details,
  granted: Task["granted"] = [],
  { place, disk }: Engine["world"],
): Details {
  const scope = field(assignment, "lock_scope");
  if (granted.length === 0 || !isStringList(scope)) return assignment;
  const texts = field(assignment, "forbidden_scope");
  const closed = new PathIndex();
  const forbidden = readEntries(isStringList(texts) ? texts : [], place, disk);
  if ("entries" in forbidden) for (const entry of forbidden.entries) closed.add("", entry);
  const isOpen = (path: string) => {
    const read = readEntries([path], place, disk);
    return "entries" in read && read.entries.every((entry) => containerOf(entry, closed) === undefined);
  };
  return { ...assignment, lock_scope: [...new Set([...scope, ...granted.filter(isOpen)])] };
}
