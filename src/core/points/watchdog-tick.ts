import type { Finding, Rule } from "../rules/rule.ts";
import type { Details } from "../rules/verdict.ts";
import { quoted } from "../text/quoted.ts";
import { field, isPositiveInteger, isText } from "../values/fields.ts";
import { parseIsoTime } from "./iso-time.ts";

const skewSecondsMax = 30;

/** One tick over all tasks: an invalid record never hides a late task. */
export interface TickFacts {
  readonly late: readonly Late[];
  readonly invalid: readonly Invalid[];
}

interface Late {
  readonly task_id: string;
  readonly last_heartbeat_at: unknown;
  readonly timeout_seconds: number;
  readonly age_seconds: number;
}

interface Invalid {
  /** Absent if the payload itself is invalid, not a single task. */
  readonly index?: number;
  /** Set if the task is known to be in progress. */
  readonly task_id?: string;
  readonly reason: string;
}

export function factsOf(payload: unknown): TickFacts {
  const now = parseIsoTime(field(payload, "now"));
  const tasks = field(payload, "tasks");
  if (now === undefined) return { late: [], invalid: [{ reason: "`now` is not an ISO 8601 time" }] };
  if (!Array.isArray(tasks)) return { late: [], invalid: [{ reason: "`tasks` is missing or not a list" }] };
  const late: Late[] = [];
  const invalid: Invalid[] = [];
  for (const [index, task] of tasks.entries()) {
    const judged = judgeTask(task, now);
    if (judged === undefined) continue;
    if ("reason" in judged) invalid.push({ index, ...judged });
    else late.push(judged);
  }
  return { late, invalid };
}

export const rules: readonly Rule<TickFacts>[] = [
  { code: "R-WD-001", check: findLate },
  { code: "R-WD-002", check: findInvalid },
];

export function allowDetails(): Details {
  return { timed_out_count: 0 };
}

function judgeTask(task: unknown, now: number): Late | Invalid | undefined {
  const task_id = field(task, "task_id");
  const status = field(task, "status");
  if (!isText(task_id)) return { reason: "it has no usable `task_id`" };
  if (!isText(status)) return { reason: `${quoted(task_id)} has no usable \`status\`` };
  if (status.trim().toLowerCase().replaceAll("-", "_") !== "in_progress") return undefined;
  const timeout_seconds = field(task, "timeout_seconds");
  const last_heartbeat_at = field(task, "last_heartbeat_at");
  if (!isPositiveInteger(timeout_seconds))
    return { task_id, reason: "`timeout_seconds` is not a positive whole number" };
  const heartbeat = parseIsoTime(last_heartbeat_at);
  if (heartbeat === undefined) return { task_id, reason: "`last_heartbeat_at` is not an ISO 8601 time" };
  const age_seconds = (now - heartbeat) / 1000;
  if (age_seconds < -skewSecondsMax)
    return { task_id, reason: `its heartbeat lies ${-age_seconds} s in the future` };
  return age_seconds > timeout_seconds
    ? { task_id, last_heartbeat_at, timeout_seconds, age_seconds }
    : undefined;
}

function findLate(facts: TickFacts): Finding | undefined {
  const [first, ...others] = facts.late;
  if (first === undefined) return undefined;
  const more = others.length > 0 ? `; ${others.length} more are late` : "";
  return {
    reason: `task ${quoted(first.task_id)} sent no heartbeat for ${first.age_seconds} s; its timeout is ${first.timeout_seconds} s: release its locks and block it${more}`,
    details: detailsOf(facts),
  };
}

function findInvalid(facts: TickFacts): Finding | undefined {
  const [first, ...others] = facts.invalid;
  if (first === undefined) return undefined;
  const more = others.length > 0 ? `; ${others.length} more are invalid` : "";
  const subject =
    first.task_id !== undefined
      ? `task ${quoted(first.task_id)} cannot be judged: `
      : first.index !== undefined
        ? `task ${first.index} of \`tasks\` cannot be judged: `
        : "";
  return { reason: `${subject}${first.reason}${more}`, details: detailsOf(facts) };
}

/**
 * The actions for the denied tasks. A late task loses its locks. A task with invalid times may still be running, so
 * it is blocked but keeps its locks.
 */
function detailsOf({ late, invalid }: TickFacts): Details {
  const actions: Details[] = [];
  for (const { task_id } of late)
    actions.push({ action: "release_locks", task_id }, { action: "block", task_id, code: "R-WD-001" });
  for (const { task_id } of invalid)
    if (task_id !== undefined) actions.push({ action: "block", task_id, code: "R-WD-002" });
  return { timed_out: late, invalid, actions };
}
