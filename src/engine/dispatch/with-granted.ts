import { PathIndex } from "../../core/paths/path-index.ts";
import { readEntries } from "../../core/paths/scope.ts";
import { containerOf } from "../../core/points/forbidden-container.ts";
import type { Assignment } from "../../core/tasks/assignment.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Engine } from "../change/engine.ts";

/** Adds the scope that the task was granted earlier, except for what the assignment now forbids. */
export function withGranted(
  assignment: Assignment,
  granted: Task["granted"] = [],
  { place, disk }: Engine["world"],
): Assignment {
  const { lock_scope: scope, forbidden_scope: texts } = assignment;
  if (granted.length === 0 || scope == null) return assignment;
  const closed = new PathIndex();
  const forbidden = readEntries(texts ?? [], place, disk);
  if ("entries" in forbidden) for (const entry of forbidden.entries) closed.add("", entry);
  const isOpen = (path: string) => {
    const read = readEntries([path], place, disk);
    return "entries" in read && read.entries.every((entry) => containerOf(entry, closed) === undefined);
  };
  return { ...assignment, lock_scope: [...new Set([...scope, ...granted.filter(isOpen)])] };
}
