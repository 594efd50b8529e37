import { locate } from "../paths/locate.ts";
import { PathIndex } from "../paths/path-index.ts";
import type { Finding, Rule } from "../rules/rule.ts";
import { quoted } from "../text/quoted.ts";
import { field, isLine, isObject, isText } from "../values/fields.ts";
import { type LocksReading, readLocks } from "./lock-records.ts";
import type { Ports } from "./ports.ts";
import { readScope, type ScopeReading } from "./read-scope.ts";

type WorldPorts = Pick<Ports, "place" | "disk">;

export interface ExecutionFacts {
  readonly taskId: unknown;
  readonly dependencies: unknown;
  readonly lockScope: ScopeReading;
  readonly activeLocks: LocksReading;
  readonly sandbox: unknown;
  readonly world: WorldPorts;
}

export function factsOf(payload: unknown, world: WorldPorts): ExecutionFacts {
  const lockScope = field(field(payload, "assignment"), "lock_scope");
  return {
    taskId: field(payload, "task_id"),
    dependencies: field(payload, "dependencies"),
    lockScope: readScope(lockScope, "lock_scope", world),
    activeLocks: readLocks(field(payload, "active_locks"), "active_locks", world),
    sandbox: field(payload, "sandbox"),
    world,
  };
}

export const rules: readonly Rule<ExecutionFacts>[] = [
  { code: "R-PE-001", check: findWaiting },
  { code: "R-PE-002", check: findUnusable },
  { code: "R-PE-002", check: findLostLock },
  { code: "R-PE-002", check: findForeignLock },
  { code: "R-PE-003", check: findUnreadySandbox },
];

const completeWords = new Set(["done", "completed", "merged"]);

function findWaiting({ dependencies }: ExecutionFacts): Finding | undefined {
  if (!Array.isArray(dependencies))
    return { reason: "`dependencies` is missing or not a list: give an empty one if there are none" };
  const waiting: string[] = [];
  for (const [index, dependency] of dependencies.entries()) {
    const taskId = field(dependency, "task_id");
    const status = field(dependency, "status");
    if (!isText(taskId) || !isText(status))
      return {
        reason: `dependency ${index} is malformed: give its \`task_id\` and its \`status\` as strings`,
        details: { index },
      };
    if (!completeWords.has(status.toLowerCase())) waiting.push(taskId);
  }
  const [first] = waiting;
  if (first === undefined) return undefined;
  const more = waiting.length > 1 ? ` and ${waiting.length - 1} more` : "";
  return {
    reason: `dependency ${quoted(first)}${more} is not complete: wait until it is done`,
    details: { waiting_for: waiting },
  };
}

function findUnusable({ taskId, lockScope, activeLocks }: ExecutionFacts): Finding | undefined {
  if (!isLine(taskId))
    return {
      reason: "`task_id` is missing or malformed: without it the task's own locks cannot be identified",
    };
  if ("error" in lockScope) return { reason: lockScope.error };
  if (lockScope.entries.length === 0) return { reason: "`lock_scope` is empty: there is nothing to hold" };
  return "error" in activeLocks ? { reason: activeLocks.error } : undefined;
}

function findLostLock({ taskId, lockScope, activeLocks }: ExecutionFacts): Finding | undefined {
  if ("error" in lockScope || "error" in activeLocks) return undefined;
  const own = new PathIndex();
  for (const lock of activeLocks.locks)
    if (lock.active && lock.taskId === taskId) own.add(lock.taskId, lock.entry);
  const lost = lockScope.entries.find((entry) => !own.covers(entry));
  if (lost === undefined) return undefined;
  return {
    reason: `the task holds no active lock on ${quoted(lost.text)}: dispatch it again so that it takes its whole scope`,
    details: { task_id: taskId, resource: lost.text },
  };
}

function findForeignLock({ taskId, lockScope, activeLocks }: ExecutionFacts): Finding | undefined {
  if ("error" in lockScope || "error" in activeLocks) return undefined;
  const scope = new PathIndex();
  for (const entry of lockScope.entries) scope.add(entry.text, entry);
  for (const lock of activeLocks.locks) {
    if (!lock.active || lock.taskId === taskId) continue;
    const held = scope.overlapping(lock.entry);
    if (held === undefined) continue;
    return {
      reason: `task ${quoted(lock.taskId)} holds ${quoted(lock.entry.text)}, which overlaps ${quoted(held.text)}: wait for its release`,
      details: {
        task_id: taskId,
        resource: held.text,
        conflict_task_id: lock.taskId,
        conflict_resource: lock.entry.text,
      },
    };
  }
  return undefined;
}

function findUnreadySandbox({ sandbox, world }: ExecutionFacts): Finding | undefined {
  if (!isObject(sandbox)) return { reason: "`sandbox` is missing: give `ready` and `root`" };
  if (field(sandbox, "ready") !== true)
    return { reason: "the sandbox is not ready: prepare it, then set `sandbox.ready` to true" };
  const root = field(sandbox, "root");
  if (!isText(root)) return { reason: "`sandbox.root` is missing: name the folder that the agent works in" };
  const located = locate(root, world.place);
  const absolute = located.where === "invalid" ? undefined : located.absolute;
  if (absolute !== undefined && world.disk.kindOf(absolute) === "folder") return undefined;
  return {
    reason: `\`sandbox.root\` ${quoted(root)} is not an existing folder: create it first`,
    details: { root },
  };
}
