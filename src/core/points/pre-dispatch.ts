import { type Entry, fileEntry } from "../paths/entry.ts";
import { PathIndex } from "../paths/path-index.ts";
import type { Finding, Rule } from "../rules/rule.ts";
import { quoted } from "../text/quoted.ts";
import { field, isPositiveInteger, isText } from "../values/fields.ts";
import { containerOf } from "./forbidden-container.ts";
import { spellingsOf } from "./judge-write.ts";
import { type LocksReading, readLocks } from "./lock-records.ts";
import type { Ports } from "./ports.ts";
import { readScope, type ScopeReading } from "./read-scope.ts";
import { findMissingField } from "./required-fields.ts";

type WorldPorts = Pick<Ports, "place" | "disk">;

export interface DispatchFacts {
  readonly taskId: unknown;
  readonly assignment: unknown;
  /** Undefined if missing in the payload. */
  readonly lockScope: ScopeReading | undefined;
  readonly forbiddenScope: ScopeReading | undefined;
  readonly activeLocks: LocksReading | undefined;
  readonly world: WorldPorts;
}

export function factsOf(payload: unknown, world: WorldPorts): DispatchFacts {
  const assignment = field(payload, "assignment");
  const scope = (name: string) => {
    const value = field(assignment, name);
    return value === undefined ? undefined : readScope(value, name, world);
  };
  const locks = field(payload, "active_locks");
  return {
    taskId: field(payload, "task_id"),
    assignment,
    lockScope: scope("lock_scope"),
    forbiddenScope: scope("forbidden_scope"),
    activeLocks: locks === undefined ? undefined : readLocks(locks, "active_locks", world),
    world,
  };
}

export const rules: readonly Rule<DispatchFacts>[] = [
  { code: "R-PD-001", check: findMissingField },
  { code: "R-PD-002", check: findBadLockScope },
  { code: "R-PD-004", check: findBadForbiddenScope },
  { code: "R-PD-005", check: findBadWorklog },
  { code: "R-PD-006", check: findBadTimes },
  { code: "R-PD-007", check: findBadLocks },
  { code: "R-PD-003", check: findConflict },
];

function findBadLockScope({ lockScope }: DispatchFacts): Finding | undefined {
  if (lockScope === undefined || "error" in lockScope) return scopeFinding("lock_scope", lockScope);
  if (lockScope.entries.length > 0) return undefined;
  return {
    reason: "`lock_scope` is empty: list at least one path inside the project",
    details: { field: "assignment.lock_scope" },
  };
}

function findBadForbiddenScope(facts: DispatchFacts): Finding | undefined {
  const { forbiddenScope } = facts;
  if (forbiddenScope === undefined || "error" in forbiddenScope)
    return scopeFinding("forbidden_scope", forbiddenScope);
  const forbidden = new PathIndex();
  for (const entry of forbiddenScope.entries) forbidden.add(entry.text, entry);
  for (const entry of lockEntries(facts)) {
    const container = containerOf(entry, forbidden);
    if (container === undefined) continue;
    return {
      reason: `forbidden entry ${quoted(container)} covers all of lock entry ${quoted(entry.text)}: name something strictly inside it`,
      details: { field: "assignment.forbidden_scope", resource: entry.text, forbidden_scope: container },
    };
  }
  return undefined;
}

function scopeFinding(name: string, reading: { error: string; index?: number } | undefined): Finding {
  const details = { field: `assignment.${name}` };
  if (reading === undefined)
    return { reason: `\`${name}\` is missing: give a list of paths, empty if there are none`, details };
  return {
    reason: reading.error,
    details: reading.index === undefined ? details : { ...details, index: reading.index },
  };
}

function findBadWorklog({ assignment, world }: DispatchFacts): Finding | undefined {
  const path = field(assignment, "worklog_path");
  const details = { field: "assignment.worklog_path" };
  if (!isText(path)) return { reason: "`worklog_path` is missing: name a file inside the project", details };
  for (const spelling of spellingsOf(path, world)) {
    if (spelling.where === "inside") continue;
    const cause = spelling.where === "invalid" ? spelling.why : `it lies at ${quoted(spelling.path)}`;
    return { reason: `\`worklog_path\` ${quoted(path)} is not inside the project: ${cause}`, details };
  }
  return undefined;
}

function findBadTimes({ assignment }: DispatchFacts): Finding | undefined {
  const timeout = field(assignment, "timeout_seconds");
  const heartbeat = field(assignment, "heartbeat_interval_seconds");
  const wrong = (name: string) => ({
    reason: `\`${name}\` is missing or invalid: give a positive whole number of seconds`,
    details: { field: `assignment.${name}` },
  });
  if (!isPositiveInteger(timeout)) return wrong("timeout_seconds");
  if (!isPositiveInteger(heartbeat)) return wrong("heartbeat_interval_seconds");
  if (heartbeat < timeout) return undefined;
  return {
    reason: `a heartbeat every ${heartbeat} s is too rare for a timeout of ${timeout} s: it must be shorter`,
    details: { field: "assignment.heartbeat_interval_seconds" },
  };
}

function findBadLocks({ activeLocks }: DispatchFacts): Finding | undefined {
  if (activeLocks === undefined || !("error" in activeLocks)) return undefined;
  const { error, index } = activeLocks;
  return { reason: error, details: index === undefined ? {} : { index } };
}

/** Indexes the packet's own entries and looks up each lock, so the cost grows only with the number of locks. */
function findConflict(facts: DispatchFacts): Finding | undefined {
  const { taskId, activeLocks } = facts;
  const scope = new PathIndex();
  for (const entry of lockEntries(facts)) scope.add(entry.text, entry);
  for (const entry of worklogEntries(facts)) scope.add(entry.text, entry);
  for (const lock of activeLocks !== undefined && "locks" in activeLocks ? activeLocks.locks : []) {
    if (!lock.active || lock.taskId === taskId) continue;
    const held = scope.overlapping(lock.entry);
    if (held === undefined) continue;
    const resource = held.text;
    return {
      reason: `lock entry ${quoted(resource)} overlaps ${quoted(lock.entry.text)}, which task ${quoted(lock.taskId)} holds: wait for its release or choose another scope`,
      details: {
        task_id: taskId,
        resource,
        conflict_task_id: lock.taskId,
        conflict_resource: lock.entry.text,
      },
    };
  }
  return undefined;
}

export function lockEntries({ lockScope }: DispatchFacts): readonly Entry[] {
  return lockScope !== undefined && "entries" in lockScope ? lockScope.entries : [];
}

/** A task's worklog belongs to its lock. */
export function worklogEntries({ assignment, world }: DispatchFacts): readonly Entry[] {
  const path = field(assignment, "worklog_path");
  return spellingsOf(typeof path === "string" ? path : "", world).flatMap((spelling) =>
    spelling.where === "inside" ? [fileEntry(spelling.path, world.place)] : [],
  );
}
