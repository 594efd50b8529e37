import { PathIndex } from "../paths/path-index.ts";
import type { Finding, Rule } from "../rules/rule.ts";
import { quoted } from "../text/quoted.ts";
import { field } from "../values/fields.ts";
import { type Lock, readLocks } from "./lock-records.ts";
import type { Ports } from "./ports.ts";
import { problem, type Reading, rule, unreadable } from "./reading.ts";

export interface LockTableFacts {
  readonly locks: readonly Lock[];
}

export function factsOf(payload: unknown, world: Pick<Ports, "place" | "disk">): Reading<LockTableFacts> {
  const table = Array.isArray(payload) ? payload : field(payload, "locks");
  const read = readLocks(table, "locks", world);
  if ("locks" in read) return { facts: read };
  return problem(read.error, read.index === undefined ? {} : { index: read.index });
}

export const rules: readonly Rule<Reading<LockTableFacts>>[] = [
  unreadable("R-LK-001"),
  rule("R-LK-001", findOverlap),
];

/**
 * Goes task by task and looks up all locks of a task before adding them, so that a lookup never finds the task's own
 * locks and the cost stays linear.
 */
function findOverlap({ locks }: LockTableFacts): Finding | undefined {
  const index = new PathIndex();
  const byTask = Map.groupBy(
    locks.filter((lock) => lock.active),
    (lock) => lock.taskId,
  );
  for (const [taskId, own] of byTask) {
    for (const { entry } of own) {
      const held = index.overlapping(entry);
      if (held !== undefined) return conflict(held.owner, held.text, taskId, entry.text);
    }
    for (const { entry } of own) index.add(taskId, entry);
  }
  return undefined;
}

function conflict(a: string, resourceA: string, b: string, resourceB: string): Finding {
  return {
    reason: `${quoted(resourceA)} of task ${quoted(a)} overlaps ${quoted(resourceB)} of task ${quoted(b)}: release one of the two`,
    details: { a, b, resource_a: resourceA, resource_b: resourceB },
  };
}
