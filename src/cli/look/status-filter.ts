import { concernsSession, isOfSession } from "../../core/names/task-name.ts";
import { parseIsoTime } from "../../core/points/iso-time.ts";
import {
  batchesOf,
  outcomeOf,
  type Status,
  type TaskStatus,
  totalCost,
} from "../../engine/views/read-status.ts";
import { CommandFault } from "../output/command-fault.ts";
import { printable } from "../output/table.ts";

export interface FilterOptions {
  readonly session?: string;
  readonly since?: string;
  readonly failed?: boolean;
}

const unitsMs = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;

export function isFilter({ session, since, failed }: FilterOptions): boolean {
  return session !== undefined || since !== undefined || failed === true;
}

/** The tasks that match the options, and their decisions. */
export function filterStatus<Read extends Status>(
  status: Read,
  { session, since, failed }: FilterOptions,
  now: number,
): Read {
  if (session !== undefined) refuseUnknown(status, session);
  const sinceMs = since === undefined ? -Infinity : sinceOf(since, now);
  const tasks = status.tasks.filter(
    (task) =>
      (session === undefined || isOfSession(task.key, session)) &&
      lastMs(task) >= sinceMs &&
      (failed !== true || hasFailed(task)),
  );
  const keys = new Set(tasks.map(({ key }) => key));
  const decisions = status.decisions.filter(({ task }) =>
    session === undefined || since !== undefined || failed === true
      ? keys.has(task)
      : concernsSession(task, session),
  );
  const outcome = outcomeOf(tasks, decisions.length);
  const told = { batches: batchesOf(tasks), cost_usd: totalCost(tasks), landings: [] };
  return { ...status, ...told, session: session ?? status.session, outcome, tasks, decisions };
}

function refuseUnknown({ tasks, workflow }: Status, session: string): void {
  if (workflow?.session === session || tasks.some(({ key }) => isOfSession(key, session))) return;
  throw new CommandFault(
    "R-IN-001",
    `there is no session \`${printable(session)}\` with tasks: \`lockstep session list\` shows all`,
  );
}

/** An ISO time, or how long ago: `30m`, `2h`, `3d`. */
export function sinceOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * unitsMs[unit as keyof typeof unitsMs];
  const at = parseIsoTime(text);
  if (at !== undefined) return at;
  throw new CommandFault(
    "R-IN-001",
    `--since takes an ISO 8601 time, or how long ago (\`30m\`, \`2h\`, \`3d\`), not \`${printable(text)}\``,
  );
}

/** The time of the last change; for a task in progress, now. */
function lastMs({ created_at, started_at, elapsed_seconds }: TaskStatus): number {
  return Math.max(
    Date.parse(created_at),
    Date.parse(started_at ?? created_at) + (elapsed_seconds ?? 0) * 1000,
  );
}

/** The work failed or was refused, and is not merged. */
function hasFailed({ state, code }: TaskStatus): boolean {
  return ["FAILED", "ESCALATED", "REJECTED"].includes(state) || (state === "BLOCKED" && code !== null);
}
