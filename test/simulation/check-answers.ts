import { isDeepStrictEqual } from "node:util";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { field } from "../../src/core/values/fields.ts";
import type { Change } from "../../src/ledger/ledger.ts";
import type { Operation } from "./operation.ts";
import { type Commit, epochOf, ranOut, type Sight } from "./shadow.ts";

/** An `allow` for one of these operations means that something was changed. */
const changing = new Set([
  "task-add",
  "task-retry",
  "task-escalate",
  "task-resolve",
  "task-cancel",
  "dispatch",
  "heartbeat",
  "submit",
  "complete",
]);
/** An expired lease refuses these; releasing locks is not one of them. */
const leased = new Set(["heartbeat", "submit", "complete", "widen", "task-escalate"]);

/** INV-2, at the commit: an operation with an epoch changes nothing unless the epoch is the current one. */
export function* staleIsApplied({ operation, change, before }: Commit): Iterable<string> {
  const { carried, name } = operation.request;
  if (carried === undefined || !touches(change, carried.task)) return;
  const current = epochOf(before, carried.task);
  if (carried.epoch !== current)
    yield `INV-2: ${name} of \`${carried.task}\` carried epoch ${carried.epoch} and was applied at ${current}`;
}

/** INV-2 and INV-3, at the answer. */
export function* answerIsWrong(operation: Operation, verdict: Verdict, ended: Sight): Iterable<string> {
  const { name, call, input } = operation.request;
  if (operation.begun.answered) {
    if (operation.commits.some(({ change }) => touches(change, input.task ?? "")))
      yield `INV-3: a repeated ${name} with key ${call.key} was applied again`;
    return;
  }
  if (call.dryRun === true && operation.commits.length > 0) yield `a dry run of ${name} changed something`;
  yield* staleIsAllowed(operation, verdict);
  yield* liveIsStale(operation, verdict, ended);
  if (!verdict.allow || call.dryRun === true) return;
  // Without a commit of its own it got the answer of a duplicate that was faster.
  const last = operation.commits.findLast(({ change }) => change.request?.key === call.key);
  if (changing.has(name) && last === undefined && !ended.answered)
    yield `INV-3: ${name} was answered with allow, and nothing was stored`;
  const task = field(verdict.details, "task_id");
  // In an answer, `state` is the decision's.
  const state = field(verdict.details, "task_state") ?? field(verdict.details, "state");
  if (last === undefined || typeof task !== "string" || !touches(last.change, task)) return;
  const stored = last.after.tasks.get(task)?.state;
  if (state !== undefined && stored !== state)
    yield `INV-3: ${name} says that \`${task}\` is ${state}, but it stored ${stored}`;
}

function* staleIsAllowed({ request, begun, commits }: Operation, verdict: Verdict): Iterable<string> {
  const { carried, name } = request;
  if (carried === undefined || !verdict.allow) return;
  const current = epochOf(begun.stored, carried.task);
  if (carried.epoch < current)
    yield `INV-2: ${name} of \`${carried.task}\` carried epoch ${carried.epoch} and was allowed at ${current}`;
  const decided = commits.at(-1)?.before.attempts.get(carried.task);
  if (decided === undefined || decided.epoch !== carried.epoch || !leased.has(name)) return;
  // Between two attempts there is no lease, and a person decides what the next one may write.
  const state = commits.at(-1)?.before.tasks.get(carried.task)?.state;
  if (name === "widen" && request.call.role === "person" && state !== "IN_PROGRESS") return;
  if (ranOut(decided, begun.now)) yield `${name} of \`${carried.task}\` was allowed after its lease ran out`;
}

/** The reverse: no attempt with a valid lease is refused as expired. */
function* liveIsStale({ request, begun }: Operation, verdict: Verdict, ended: Sight): Iterable<string> {
  const { carried, name } = request;
  if (carried === undefined || verdict.code !== "R-LS-001") return;
  const [before, after] = [begun, ended].map(({ stored }) => stored.attempts.get(carried.task));
  if (before?.epoch !== carried.epoch || after?.epoch !== carried.epoch || after.leaseState === "over")
    return;
  // A decision that was made in time may be stored later, after the lease has expired.
  if (!ranOut(before, ended.now) && !ranOut(after, ended.now))
    yield `${name} of \`${carried.task}\`#${carried.epoch} was refused as stale, and it is not`;
}

/**
 * The scope of a started task is the requested one, and so is its forbidden scope, plus what was set when the task was
 * added by hand.
 */
export function* scopeIsAnother({ operation, events, after }: Commit): Iterable<string> {
  const asked = field(field(operation.request.input, "packet"), "assignment");
  for (const { task } of events.filter(({ type }) => type === "task.started"))
    for (const name of ["lock_scope", "forbidden_scope", "worklog_path", "uses"]) {
      const started = after.tasks.get(task ?? "");
      const given = field(started?.assignment, name);
      const wanted = field(asked, name);
      const isThere =
        Array.isArray(given) && Array.isArray(wanted)
          ? wanted.every((one) => given.includes(one)) &&
            (name !== "lock_scope" ||
              given.every((one) => [...wanted, ...(started?.granted ?? [])].includes(one)))
          : isDeepStrictEqual(given, wanted);
      if (wanted !== undefined && !isThere)
        yield `INV-6: \`${task}\` was started with another ${name} than requested: ${JSON.stringify(given)}`;
    }
}

/** A dispatch that began after a pause of all work starts nothing until the pause is cleared. */
export function* startsWhilePaused({ operation, before, events }: Commit): Iterable<string> {
  const { breaker } = before;
  const started = events.find(({ type }) => type === "task.started");
  if (breaker === null || breaker !== operation.begun.stored.breaker) return;
  if (started !== undefined) yield `task \`${started.task}\` was started while all work is paused`;
}

function touches({ tasks, attempts, release, take, decisions }: Change, key: string): boolean {
  return (
    tasks?.some((task) => task.key === key) === true ||
    attempts?.some(({ task }) => task === key) === true ||
    take?.some(({ task }) => task === key) === true ||
    decisions?.some(({ task }) => task === key) === true ||
    release?.tasks.includes(key) === true
  );
}
