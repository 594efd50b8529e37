import { retryLimits } from "../../src/core/tasks/counters.ts";
import { field } from "../../src/core/values/fields.ts";
import type { LedgerEvent } from "../../src/ledger/ledger.ts";
import { type Commit, ranOut } from "./shadow.ts";

/** The number of retries of each task since a person last resolved it. */
export type Retries = Map<string, { blocked: number; rejected: number }>;

/** INV-5: the events of a commit lead each task from its old state to its new one, one event per step. */
export function* eventsMissing({ change, before, after, events }: Commit, lastSeq: number): Iterable<string> {
  const at = new Map([...before.tasks].map(([key, { state }]) => [key, state as string]));
  for (const [index, { seq, task, from, to, type }] of events.entries()) {
    if (seq !== lastSeq + 1 + index) yield `INV-5: event ${seq} follows event ${lastSeq + index}`;
    if (to === null || task === null) continue;
    if ((at.get(task) ?? null) !== from)
      yield `INV-5: ${type} takes \`${task}\` from ${from}, but it was ${at.get(task) ?? "nothing"}`;
    if (from === "MERGED") yield `task \`${task}\` left MERGED by ${type}`;
    at.set(task, to);
  }
  for (const { key, state, version } of after.tasks.values()) {
    if (at.get(key) !== state)
      yield `INV-5: \`${key}\` is ${state}, but its events end at ${at.get(key) ?? "nothing"}`;
    const known = before.tasks.get(key)?.version ?? 0;
    const written = change.tasks?.some((task) => task.key === key) === true;
    if (version !== (written ? known + 1 : known))
      yield `INV-3: task \`${key}\` went from version ${known} to ${version}`;
  }
  const recorded = events.filter(({ to }) => to !== null).length;
  const meant = (change.events ?? []).filter(({ to }) => to !== null).length;
  if (recorded !== meant) yield `INV-5: ${meant} steps were taken and ${recorded} are recorded`;
}

export function* startsTooEarly({ after, events }: Commit): Iterable<string> {
  for (const { task: key } of events.filter(({ type }) => type === "task.started")) {
    const task = after.tasks.get(key as string);
    for (const needed of task?.dependsOn ?? []) {
      const state = after.tasks.get(needed)?.state ?? "unknown";
      if (state !== "MERGED") yield `task \`${key}\` was started while \`${needed}\` is ${state}`;
    }
  }
}

export function* retriesExceeded(
  { before, after, events }: Commit,
  retries: Retries,
  reviewRetries: number,
): Iterable<string> {
  for (const { task, type, from } of events) {
    if (task === null) continue;
    const spent = retries.get(task) ?? { blocked: 0, rejected: 0 };
    retries.set(task, spent);
    if (type === "task.resolved") Object.assign(spent, { blocked: 0, rejected: 0 });
    if (type === "task.retried" && before.tasks.get(task)?.hold?.kind === "deny") spent.blocked += 1;
    if (type === "task.started" && from === "REJECTED") spent.rejected += 1;
    if (spent.blocked > retryLimits.block_retries)
      yield `task \`${task}\` was retried ${spent.blocked} times after a deny`;
    if (spent.rejected > reviewRetries) yield `task \`${task}\` was reworked ${spent.rejected} times`;
  }
  for (const task of new Set(events.map((event) => event.task))) {
    const [spent, counters] = [retries.get(task ?? ""), after.tasks.get(task ?? "")?.counters];
    if (spent === undefined || counters === undefined) continue;
    if (counters.block_retries !== spent.blocked || counters.review_retries !== spent.rejected)
      yield `task \`${task}\` counts ${JSON.stringify(counters)}, not ${JSON.stringify(spent)}`;
  }
}

/** No attempt is ended while its lease is valid and its runner is alive. */
export function* endsTooEarly(commit: Commit, lives: (task: string) => boolean): Iterable<string> {
  for (const event of commit.events) {
    const end = endOf(event);
    const attempt = commit.before.attempts.get(event.task ?? "");
    if (end === undefined || attempt === undefined) continue;
    if (end === "late" && !ranOut(attempt, commit.now))
      yield `task \`${event.task}\` was ended as late, but its lease runs until ${attempt.lease.beatMs} + ${attempt.lease.timeoutSeconds} s`;
    if (end === "lost" && lives(attempt.task)) yield `task \`${event.task}\` was lost, but its runner lives`;
  }
}

function endOf({ type, data }: LedgerEvent): unknown {
  if (type === "task.denied" && field(field(data, "refusal"), "code") === "R-WD-001") return "late";
  if (type === "task.lost" && field(data, "reason") === "runner_lost") return "lost";
  return type === "locks.released" ? field(field(data, "end"), "kind") : undefined;
}

/** Every reported token is counted, once. */
export function* tokensMiscounted({ operation, change, before, after }: Commit): Iterable<string> {
  const { name, input } = operation.request;
  const beats = name === "heartbeat" && (change.attempts ?? []).length > 0;
  for (const { key, tokens } of after.tasks.values()) {
    const known = before.tasks.get(key)?.tokens ?? 0;
    const reported = beats && input.task === key ? Number(field(input, "tokens") ?? 0) : 0;
    if (tokens !== known + reported)
      yield `task \`${key}\` went from ${known} to ${tokens} tokens by a report of ${reported}`;
  }
}
