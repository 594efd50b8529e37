import { unusable } from "../../clients/answer/unusable.ts";
import { promptFor, promptToMend } from "../../clients/input/prompt.ts";
import { universalInput } from "../../clients/input/universal-input.ts";
import { refsOf } from "../../core/names/ref-names.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Started } from "../../engine/dispatch-task.ts";
import type { Call } from "../../engine/engine.ts";
import { operate } from "../../engine/operate.ts";
import { checkStart, putBack, refuseAttempt } from "../../engine/refuse-attempt.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import { endAgentProcesses } from "../../workspace/agent-processes.ts";
import { CheckoutFault } from "../../workspace/checkouts/checkout.ts";
import type { Agent } from "../attempt/agents.ts";
import { type Conversed, converse, type Talk, type Worked } from "../attempt/converse.ts";
import { Heartbeats } from "../attempt/heartbeats.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import { LentFiles } from "../attempt/session-files.ts";
import { openWorkPlace } from "../attempt/work-place.ts";
import { investigate } from "../review/investigate.ts";
import { askToMend } from "./ask-to-mend.ts";
import { endedBy } from "./ended-by.ts";
import { collect, findStray, handIn, rejectWork, reportFailure } from "./hand-in.ts";
import { passPoint } from "./lifecycle.ts";
import { awaitAgentsEnd } from "./take-over.ts";

/** What became of one try at a task; the ledger has the rest. */
export type AttemptEnd =
  | { readonly how: "handed-in" }
  /** `started` false: it was not even dispatched. */
  | { readonly how: "refused"; readonly verdict: Deny; readonly started: boolean }
  /** Through nobody's fault: the task is as it was before. */
  | { readonly how: "limited"; readonly until: Date | null; readonly reason: string }
  | { readonly how: "unauthenticated"; readonly reason: string }
  | { readonly how: "stopped" }
  | { readonly how: "ended"; readonly told: string };

export function toldOf(end: AttemptEnd): string {
  if (end.how === "refused") return `${end.verdict.code}: ${end.verdict.reason}`;
  return end.how === "ended" ? end.told : end.how.replace("-", " ");
}

export interface Try {
  readonly agent: Agent;
  /** The one retry that S0 grants after a deny: what is asked counts as changed. */
  readonly isRetry: boolean;
  /** Another agent takes over: it starts from the base, and finds the work before it on a ref. */
  readonly isFresh: boolean;
  readonly stop: AbortSignal;
}

/** Dispatches a task, lets its agent work in a checkout of its own, reads what it made and hands it in. */
export async function runAttempt(context: RunContext, task: RunTask, one: Try): Promise<AttemptEnd> {
  const { engine, call } = context;
  const before = await engine.ledger.task(task.key);
  const previous = await engine.ledger.attempt(task.key);
  const packet = {
    ...task.packet,
    agent: one.agent.name,
    // What it waited for may have been done again under another name.
    depends_on: before?.dependsOn ?? task.packet.depends_on,
    ...(one.agent.model === null ? {} : { model: one.agent.model }),
    ...(one.isRetry ? { context_revision: (before?.contextRevision ?? 0) + 1 } : {}),
  };
  const dispatched = await operate(engine, "dispatch", { packet, runnerPid: process.pid }, call);
  if (!dispatched.allow) return { how: "refused", verdict: dispatched, started: false };
  const started = dispatched.details;
  const own: Call = { ...call, epoch: started.epoch };
  context.secrets.add(started.token);
  context.onTask(task.key, { type: "said", text: `started by ${one.agent.name}` });
  // What a dead run left behind must not work in the same checkout.
  if (previous !== undefined && previous.runner?.pid !== process.pid) await awaitAgentsEnd(engine, previous);
  try {
    const continued = before?.continued != null;
    const fresh = { ...one, isFresh: !continued && (one.isFresh || isBehind(before)) };
    return await work(context, { task, one: fresh, started, own, before, previous });
  } catch (error) {
    // One task's trouble is not the run's: it is told like any other failure of an attempt.
    const reason = error instanceof Error ? error.message : String(error);
    return refused(await reportFailure(context, task, failing(own, one, reason, 1)));
  }
}

/** S1-088: what conflicts with what came in before it is done again, on the base as it is by then. */
function isBehind(task: Task | undefined): boolean {
  const { code, details } = task?.fixDelta ?? {};
  const isConflict = details?.conflicts != null || details?.route === "serial";
  return code === "R-GT-001" && isConflict;
}

function refused(verdict: Deny): AttemptEnd {
  return { how: "refused", verdict, started: true };
}

interface Working {
  readonly task: RunTask;
  readonly one: Try;
  readonly started: Started;
  readonly own: Call;
  readonly before: Task | undefined;
  readonly previous: Attempt | undefined;
}

async function work(context: RunContext, working: Working): Promise<AttemptEnd> {
  const { task, one, started, own } = working;
  const place = await openPlace(context, working);
  if ("error" in place) {
    const reason = `its checkout cannot be set up: ${place.error}`;
    return refused(await reportFailure(context, task, failing(own, one, reason, 1)));
  }
  for (const text of place.notes) context.onTask(task.key, { type: "said", text });
  const start = await checkStart(context.engine, { task: task.key, folder: place.checkout.folder }, own);
  if (!start.allow) return refused(start);
  const lent = new LentFiles(context, task, place.checkout);
  using slot = await context.slots.take();
  const heartbeats = new Heartbeats(context, { task: task.key, call: own, stop: one.stop });
  const env = {
    LOCKSTEP_TASK: task.key,
    LOCKSTEP_EPOCH: String(started.epoch),
    LOCKSTEP_TOKEN: started.token,
    LOCKSTEP_ROOT: context.repository.root,
    LOCKSTEP_CHECKOUT: place.checkout.folder,
    LOCKSTEP_SLOT: String(slot.number),
    LOCKSTEP_PORT_BASE: String(slot.portBase),
    COMPOSE_PROJECT_NAME: `lockstep-${task.key.toLowerCase().replace(/[^a-z0-9_-]+/g, "-")}`,
    ...(context.socket === undefined ? {} : { LOCKSTEP_SOCKET: context.socket }),
  };
  const input = await inputFor(context, working, heartbeats);
  if (one.stop.aborted) return stopped(context, task, own);
  if (heartbeats.fault !== undefined) throw heartbeats.fault;
  if (heartbeats.lost !== undefined) return endedBy(context, task, heartbeats.lost);
  const talk: Talk = {
    ...{ task, place, lent, input, env, heartbeats },
    agent: one.agent,
    minutes: started.minutes,
    prompt: promptFor(input, { role: one.agent.role, root: context.repository.root }),
    ...goOnWith(working, promptToMend(input)),
  };
  const talked = await converse(context, talk);
  // Without walls nothing holds what the agent started in sessions of their own.
  if (!place.walled) await endAgentProcesses(started.token);
  if (heartbeats.fault !== undefined) throw heartbeats.fault;
  if (heartbeats.lost !== undefined) return endedBy(context, task, heartbeats.lost);
  await lent.collect();
  return settle(context, working, talk, talked);
}

async function settle(
  context: RunContext,
  { task, one, own }: Working,
  talk: Talk,
  talked: Conversed,
): Promise<AttemptEnd> {
  if (talked.how === "stopped") return stopped(context, task, own);
  if (talked.how === "limited" || talked.how === "unauthenticated") {
    await putBack(context.engine, { task: task.key, reason: `${talked.how}: ${talked.reason}` }, own);
    return talked;
  }
  if (talked.how === "failed")
    return refused(await reportFailure(context, task, failing(own, one, talked.reason, talked.starts)));
  return submit(context, { task, one, own }, talk, talked);
}

/** What the tree holds, past the hooks, into review. */
async function submit(
  context: RunContext,
  { task, one, own }: Pick<Working, "task" | "one" | "own">,
  talk: Talk,
  talked: Worked,
): Promise<AttemptEnd> {
  const { place, lent, heartbeats } = talk;
  const collected = await collectOrRefuse(context, { task, place });
  let work = "unread" in collected ? "unchanged" : collected.work;
  if (talked.how === "unanswered" && work === "unchanged" && !("unread" in collected)) {
    const reason = `it changed nothing, and ${unusable(talked.reason)}`;
    return refused(await reportFailure(context, task, failing(own, one, reason, 2)));
  }
  let stray = "unread" in collected ? collected.unread : await findStray(context, task, work);
  const passing = { task, place, agent: one.agent.name, call: own, stop: one.stop };
  if (stray === undefined && work !== "unchanged" && isDone(talked)) {
    const mend = askToMend(context, talk, talked.conversation);
    const passed = await passPoint(context, { ...passing, commit: work.commit }, "before_submit", mend);
    if (heartbeats.fault !== undefined) throw heartbeats.fault;
    if (heartbeats.lost !== undefined) return endedBy(context, task, heartbeats.lost);
    if (one.stop.aborted) return stopped(context, task, own);
    if (!passed.ok) {
      const verdict = await refuseAttempt(context.engine, { task: task.key, refused: passed.refused }, own);
      return refused(verdict.allow ? passed.refused : verdict);
    }
    work = passed.collected ?? work;
    stray = await findStray(context, task, work);
  }
  const { turns } = heartbeats;
  const verdict = await handIn(
    context,
    { task, agent: one.agent.name, lent, call: own, talked, turns, folder: place.checkout.folder },
    work,
  );
  if (!verdict.allow) return refused(verdict);
  if (stray !== undefined) return refused(await rejectWork(context, task, stray));
  if (work !== "unchanged" && isDone(talked))
    await passPoint(context, { ...passing, commit: work.commit }, "after_submit");
  return { how: "handed-in" };
}

/** What stands in the way of reading the work is the agent's to clear away: its checkout is as it left it. */
async function collectOrRefuse(context: RunContext, of: Parameters<typeof collect>[1]) {
  try {
    return { work: await collect(context, of) };
  } catch (error) {
    if (!(error instanceof CheckoutFault)) throw error;
    return { unread: deny("R-GT-001", `the work cannot be read: ${error.message}`) };
  }
}

/** Only work that is handed in as done has anything to submit. */
function isDone(talked: Worked): boolean {
  if (talked.how !== "answered") return true;
  const { reading } = talked;
  return reading.kind === "report" && reading.report.kind === "result" && reading.report.status === "done";
}

async function stopped({ engine }: RunContext, { key }: RunTask, call: Call): Promise<AttemptEnd> {
  await putBack(engine, { task: key, reason: "the run was stopped" }, call);
  return { how: "stopped" };
}

function failing(call: Call, { agent }: Try, reason: string, starts: number) {
  return { call, agent: agent.name, reason, starts };
}

async function openPlace(context: RunContext, { task, one, started }: Working) {
  const { repository } = await context.atBase();
  return openWorkPlace({
    ...context,
    repository,
    world: context.engine.world,
    task: task.plan.id,
    attempt: started.attempt,
    lockScope: started.lock_scope,
    client: one.agent.client,
    isFresh: one.isFresh,
  });
}

/** The same agent goes on in its own conversation, with only what is new. */
function goOnWith({ one: { agent, isFresh }, previous, before }: Working, prompt: string) {
  const conversation = previous?.conversation;
  const reworks = agent.reworks === "resume" || before?.continued != null;
  const same = previous?.agent === agent.name && reworks && !isFresh;
  return same && agent.can.resume && conversation !== undefined ? { goOn: { conversation, prompt } } : {};
}

async function inputFor(context: RunContext, working: Working, heartbeats: Heartbeats) {
  const { config, repository, session } = context;
  const { task, one, started, before } = working;
  // What was denied before it came to a review is to be mended all the same.
  const refusal = before?.refusal == null ? null : { ...before.refusal, guidance: "" };
  const delta = started.fix_delta ?? (before?.state === "BLOCKED" ? refusal : null);
  const ref = refsOf({ session, task: task.plan.id, attempt: started.attempt - 1 }).work;
  const details = delta?.details ?? {};
  const investigation = await investigate(context, task, { ref, details, heartbeats });
  const found = investigation === undefined ? {} : { details: { ...details, investigation } };
  const guidance = `your tree is \`${repository.base}\` as it is now: do the task again there`;
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
