import { type AnswerReading, readAnswer } from "../../../clients/answer/read-answer.ts";
import { unusable } from "../../../clients/answer/unusable.ts";
import { promptFor, promptToFix } from "../../../clients/input/prompt.ts";
import { universalInput } from "../../../clients/input/universal-input.ts";
import { isHere } from "../../../core/leases/lease.ts";
import { refsOf } from "../../../core/names/ref-names.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { reclaimIfLapsed } from "../../../engine/attempts/reclaim.ts";
import { checkStart, putBack, refuseAttempt } from "../../../engine/attempts/refuse-attempt.ts";
import { isTaken } from "../../../engine/attempts/take-task.ts";
import { CheckoutFault } from "../../../workspace/checkouts/checkout.ts";
import { findCheckout } from "../../../workspace/checkouts/find-checkout.ts";
import { keepEverything } from "../../../workspace/checkouts/keep-everything.ts";
import { excludedByDefault } from "../../../workspace/checkouts/snapshot-tree.ts";
import { removeFolder } from "../../../workspace/files/remove-folder.ts";
import { keepOnRef, readParents } from "../../../workspace/git/refs.ts";
import { RemoteFault, type RemoteTrouble } from "../../../workspace/git/remote.ts";
import type { Agent } from "../../attempt/agents.ts";
import { type OpenAttempt, openAttempt } from "../../attempt/attempt.ts";
import type { Conversed, Question } from "../../attempt/converse.ts";
import { type Asked, runAgent } from "../../attempt/run-agent.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";
import type { Watch } from "../../attempt/watch.ts";
import type { Workplace } from "../../attempt/workplace.ts";
import { readWork } from "../../landing/work/share-work.ts";
import { investigate } from "../../review/investigate.ts";
import { askToFix } from "./ask-to-fix.ts";
import {
  collect,
  findStray,
  handIn,
  rejectWork,
  reportFailure,
  shareWork,
  type Unshared,
} from "./hand-in.ts";
import { passPoint } from "./lifecycle.ts";

/** How one attempt ended. */
export type AttemptEnd =
  | { readonly how: "handed-in" }
  /** `started` is false if it was not dispatched. */
  | { readonly how: "refused"; readonly verdict: Deny; readonly started: boolean }
  /** The run was stopped: the task returns to its state before. */
  | { readonly how: "stopped" }
  | { readonly how: "ended" | "resting"; readonly told: string }
  /** The work could not be pushed, so it was not handed in. */
  | { readonly how: "unshared"; readonly told: string; readonly trouble: RemoteTrouble };

export function endText(end: AttemptEnd): string {
  if (end.how === "refused") return `${end.verdict.code}: ${end.verdict.reason}`;
  return "told" in end ? end.told : end.how.replace("-", " ");
}

export interface Try {
  readonly agent: Agent;
  /** The one retry after a deny (S0): the request counts as changed. */
  readonly isRetry: boolean;
  /** Another agent takes over: it starts from the base, and the earlier work is on a ref. */
  readonly isFresh: boolean;
  readonly stop: AbortSignal;
}

/** An agent's report, raw and as read. */
interface WorkAnswer {
  readonly answer: unknown;
  readonly reading: Exclude<AnswerReading, { kind: "invalid" }>;
}

/** The ends after which the agent's changes count. */
export type Worked = Extract<Conversed<WorkAnswer>, { how: "answered" | "silent" | "unanswered" }>;

interface Working {
  readonly task: RunTask;
  readonly one: Try;
  readonly attempt: OpenAttempt;
}

/** Dispatches a task, runs its agent in a checkout of its own, collects the changes and hands them in. */
export async function workOnTask(context: RunContext, task: RunTask, one: Try): Promise<AttemptEnd> {
  const attempt = await openAttempt(context, task, (before) => ({
    ...task.packet,
    agent: one.agent.name,
    // A dependency may have been redone under another name.
    depends_on: before?.dependsOn ?? task.packet.depends_on,
    ...(one.agent.model === null ? {} : { model: one.agent.model }),
    ...(one.isRetry ? { context_revision: (before?.contextRevision ?? 0) + 1 } : {}),
  }));
  if ("allow" in attempt) return { how: "refused", verdict: attempt, started: false };
  const { before, started } = attempt;
  context.onTask(task.key, { type: "said", text: `started by ${one.agent.name}` });
  const isFresh = before?.continued == null && (one.isFresh || isBehind(before));
  const working = { task, one: { ...one, isFresh }, attempt };
  try {
    const { repository } = await context.atBase();
    const { baseCommit: base } = repository;
    if (!isFresh) await fetchEarlier(context, task, attempt);
    return await runAgent<WorkAnswer, AttemptEnd>(
      { ...context, repository },
      {
        ...{ purpose: "work", task, agent: one.agent, stop: one.stop, attempt },
        tree: { attempt: started.attempt, base, commit: base, lockScope: started.lock_scope, isFresh },
        tell: (event) => context.onTask(task.key, event),
        ask: async (place, watch) => {
          const { folder } = place.checkout;
          const start = await checkStart(context.engine, { task: task.key, folder }, attempt.call);
          if (!start.allow) return { end: refused(start) };
          return questionFor(context, working, watch);
        },
        settle: (talked, asked) => settle(context, working, talked, asked),
      },
    );
  } catch (error) {
    if (error instanceof RemoteFault)
      return unshared(context, working, { unshared: error.message, trouble: "fails" });
    // An error in one task does not end the run; it is recorded as a failure of the attempt.
    return fail(context, working, error instanceof Error ? error.message : String(error), 1);
  }
}

/** Work of an earlier attempt on another machine, so that this one continues it. */
async function fetchEarlier(
  context: RunContext,
  { plan: { id: task } }: RunTask,
  { previous, started }: OpenAttempt,
): Promise<void> {
  const { engine, repository, session } = context;
  if (previous === undefined || isHere(previous, engine.machine)) return;
  const refs = refsOf({ session, task, attempt: started.attempt - 1 });
  const work = await readWork(context, refs.work);
  // Without the earlier work, this attempt starts from the base.
  if (typeof work !== "string") return;
  const { root, commonFolder } = repository;
  const [parent] = await readParents(root, work);
  if (parent === undefined) return;
  const older = findCheckout(commonFolder, { session, task, attempt: started.attempt });
  if (older !== undefined) {
    await keepEverything(older, { exclude: excludedByDefault });
    removeFolder(older.folder);
  }
  // The new checkout is made from the newest work of the task.
  await keepOnRef(root, refs.base, parent);
}

/** Work that conflicts with earlier merges is redone on the current base (S1-088). */
function isBehind(task: Task | undefined): boolean {
  const { code, details } = task?.fixDelta ?? {};
  const isConflict = details?.conflicts != null || details?.route === "serial";
  return code === "R-GT-001" && isConflict;
}

async function questionFor(
  context: RunContext,
  working: Working,
  watch: Watch,
): Promise<Question<WorkAnswer> | { readonly end: AttemptEnd }> {
  const { task, one, attempt } = working;
  const input = await inputFor(context, working, watch);
  const end = await endedBy(context, working, watch);
  if (end !== undefined) return { end };
  const { id, acceptance_checks: criteria } = task.plan;
  const reported = { task: { id, criteria, worklogPath: undefined }, role: one.agent.role };
  return {
    input,
    minutes: attempt.started.minutes,
    prompt: promptFor(input, { role: one.agent.role, root: context.repository.root }),
    ...goOnWith(context, working, promptToFix(input)),
    read: async (answer) => {
      const reading = readAnswer(answer, reported);
      return reading.kind === "invalid" ? { invalid: reading.reason } : { answer, reading };
    },
  };
}

/** The same agent continues its conversation; the prompt contains only what is new. */
function goOnWith(
  { engine }: RunContext,
  { one: { agent, isFresh }, attempt: { previous, before } }: Working,
  prompt: string,
) {
  // A conversation is kept where it was held.
  const conversation = previous && isHere(previous, engine.machine) ? previous.conversation : undefined;
  const reworks = agent.reworks === "resume" || before?.continued != null;
  const same = previous?.agent === agent.name && reworks && !isFresh;
  return same && agent.can.resume && conversation !== undefined ? { goOn: { conversation, prompt } } : {};
}

async function inputFor(context: RunContext, { task, one, attempt }: Working, watch: Watch) {
  const { config, repository, session } = context;
  const { started, before } = attempt;
  // A deny before the review has to be fixed too.
  const refusal = before?.refusal == null ? null : { ...before.refusal, guidance: "" };
  const delta = started.fix_delta ?? (before?.state === "BLOCKED" ? refusal : null);
  const ref = refsOf({ session, task: task.plan.id, attempt: started.attempt - 1 }).work;
  const details = delta?.details ?? {};
  const investigation = await investigate(context, task, { ref, details, watch });
  const found = investigation === undefined ? {} : { details: { ...details, investigation } };
  const guidance = `your checkout is the current \`${repository.base}\`: do the task again there`;
  const anew = one.isFresh ? { guidance } : {};
  return universalInput(task.plan, {
    assignment: { ...task.packet.assignment, lock_scope: started.lock_scope },
    attempt: started.attempt,
    fixDelta: delta === null ? null : { ...delta, ...found, ...anew, previous_ref: ref },
    branch: repository.base,
    projectType: config.project_type,
    role: one.agent.role,
  });
}

async function settle(
  context: RunContext,
  working: Working,
  talked: Conversed<WorkAnswer>,
  asked: Asked<WorkAnswer>,
): Promise<AttemptEnd> {
  const { task, attempt } = working;
  if (talked.how === "over")
    return lostBy(context, working, talked.lost, () => shareStopped(context, working, asked));
  await asked.sessionFiles.collect();
  switch (talked.how) {
    case "stopped":
      await shareStopped(context, working, asked);
      return stopped(context, working);
    case "resting":
      await putBack(context.engine, { task: task.key, reason: talked.reason }, attempt.call);
      return { how: "resting", told: talked.told };
    case "failed":
    case "unavailable":
      return fail(context, working, talked.reason, talked.starts);
    default:
      return submit(context, working, talked, asked);
  }
}

/** Collects the work, runs the hooks, and hands it in for review. */
async function submit(
  context: RunContext,
  working: Working,
  talked: Worked,
  asked: Asked<WorkAnswer>,
): Promise<AttemptEnd> {
  const { task, one, attempt } = working;
  const { place, sessionFiles, watch } = asked;
  const { call } = attempt;
  const collected = await collectOrRefuse(context, task, place);
  let work = "unread" in collected ? "unchanged" : collected.work;
  if (talked.how === "unanswered" && work === "unchanged" && !("unread" in collected))
    return fail(context, working, `the agent changed no file, and ${unusable(talked.reason)}`, 2);
  const refusalOf = async () => sessionFiles.findReplaced() ?? (await findStray(context, task, work));
  let stray = "unread" in collected ? collected.unread : await refusalOf();
  const passing = { task, place, agent: one.agent.name, call, stop: one.stop };
  if (stray === undefined && work !== "unchanged" && isDone(talked)) {
    const fix = askToFix(context, task, asked, talked.conversation);
    const passed = await passPoint(context, { ...passing, commit: work.commit }, "before_submit", fix);
    const end = await endedBy(context, working, watch);
    if (end !== undefined) return end;
    if (!passed.ok) {
      const verdict = await refuseAttempt(context.engine, { task: task.key, refused: passed.refused }, call);
      return refused(verdict.allow ? passed.refused : verdict);
    }
    work = passed.collected ?? work;
    stray = await refusalOf();
  }
  if (stray === undefined && work !== "unchanged") {
    const shared = await shareWork(context, work, place.checkout.base);
    if (shared !== undefined && "unshared" in shared) return unshared(context, working, shared);
    stray = shared;
  }
  const handing = { task, agent: one.agent.name, sessionFiles, call, talked, turns: watch.turns };
  const verdict = await handIn(context, { ...handing, folder: place.checkout.folder }, work);
  if (!verdict.allow) return refused(verdict);
  if (stray !== undefined) return refused(await rejectWork(context, task, stray));
  if (work !== "unchanged" && isDone(talked))
    await passPoint(context, { ...passing, commit: work.commit }, "after_submit");
  return { how: "handed-in" };
}

/** The attempt ends without costing a retry. The next one continues in its checkout, when a person runs again. */
async function unshared(
  { engine }: RunContext,
  { task, attempt }: Working,
  { unshared: why, trouble }: Unshared,
): Promise<AttemptEnd> {
  await putBack(engine, { task: task.key, reason: why }, attempt.call);
  return { how: "unshared", told: `${why}; then run again`, trouble };
}

/** If the work cannot be read, it is refused with the reason. The agent can fix that in its checkout. */
async function collectOrRefuse(context: RunContext, task: RunTask, place: Workplace) {
  try {
    return { work: await collect(context, { task, place }) };
  } catch (error) {
    if (!(error instanceof CheckoutFault)) throw error;
    return { unread: deny("R-GT-001", `the work cannot be read: ${error.message}`) };
  }
}

/** Whether the work was handed in as done; otherwise the hooks do not run. */
function isDone(talked: Worked): boolean {
  if (talked.how !== "answered") return true;
  const { reading } = talked.answer;
  return reading.kind === "report" && reading.report.kind === "result" && reading.report.status === "done";
}

/** The end of an attempt that must not continue, because of the ledger, a person or a stop. */
async function endedBy(context: RunContext, working: Working, watch: Watch): Promise<AttemptEnd | undefined> {
  if (watch.fault !== undefined) throw watch.fault;
  if (watch.lost !== undefined) return lostBy(context, working, watch.lost);
  return working.one.stop.aborted ? stopped(context, working) : undefined;
}

/**
 * How an attempt ended whose heartbeat was refused. If a person stopped or took it, the agent has not failed. If the
 * lease is over, the ledger has the reason.
 */
async function lostBy(
  { engine }: RunContext,
  { task: { key }, attempt: { call } }: Working,
  lost: Deny,
  onStopped: () => Promise<void> = async () => {},
): Promise<AttemptEnd> {
  await reclaimIfLapsed(engine, key, "run");
  const task = await engine.ledger.task(key);
  // The agent was stopped because the ledger did not answer. The ledger answers again, and no other machine has the task.
  if (task?.state === "IN_PROGRESS" && task.epoch === call.epoch)
    await putBack(engine, { task: key, reason: lost.reason }, call);
  if (task?.hold?.kind === "stopped") {
    await onStopped();
    return { how: "ended", told: "stopped by a person" };
  }
  if (task !== undefined && isTaken(task, await engine.ledger.attempt(key)))
    return { how: "ended", told: "taken over by a person" };
  const { code, reason, details } = task?.state === "IN_PROGRESS" ? {} : (task?.refusal ?? {});
  const isKnown = lost.code === "R-LS-001" && code != null && reason !== undefined;
  return refused(isKnown ? deny(code, reason, details) : lost);
}

async function stopped({ engine }: RunContext, { task, attempt }: Working): Promise<AttemptEnd> {
  await putBack(engine, { task: task.key, reason: "the run was stopped" }, attempt.call);
  return { how: "stopped" };
}

/** With several machines, another one may continue, so what a stopped agent has done so far is pushed. */
async function shareStopped(
  context: RunContext,
  { task }: Working,
  { place }: Pick<Asked<WorkAnswer>, "place">,
): Promise<void> {
  if (context.fleet === undefined) return;
  const collected = await collectOrRefuse(context, task, place);
  if ("unread" in collected || collected.work === "unchanged") return;
  const stopped = await shareWork(context, collected.work, place.checkout.base);
  const told =
    stopped === undefined ? "pushed what it has" : "unshared" in stopped ? stopped.unshared : stopped.reason;
  context.onTask(task.key, { type: "said", text: told });
}

/** The agent failed, and there is nothing to hand in. */
async function fail(context: RunContext, { task, one, attempt }: Working, reason: string, starts: number) {
  const failing = { call: attempt.call, agent: one.agent.name, reason, starts };
  return refused(await reportFailure(context, task, failing));
}

function refused(verdict: Deny): AttemptEnd {
  return { how: "refused", verdict, started: true };
}
