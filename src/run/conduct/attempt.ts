import type { AgentClient, AgentEnd, AgentEvent } from "../../clients/agent.ts";
import { readAnswer } from "../../clients/answer/read-answer.ts";
import { universalInput } from "../../clients/input/universal-input.ts";
import type { PlanTask } from "../../contract/plan.ts";
import { type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import { maskDocument } from "../../core/secrets/mask-document.ts";
import type { Call } from "../../engine/engine.ts";
import { operate } from "../../engine/operate.ts";
import { appendToMemory } from "../../workspace/append-to-memory.ts";
import { collectWork } from "../../workspace/checkouts/collect-work.ts";
import { checkoutOf, keepOnRef, readRef } from "../../workspace/git/refs.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { Heartbeats } from "./heartbeats.ts";
import type { RunContext } from "./run-context.ts";
import { openWorkPlace, type WorkPlace } from "./work-place.ts";

/** What became of one try at a task; the ledger has the rest. */
export type AttemptEnd =
  | { readonly how: "handed-in" }
  | { readonly how: "refused"; readonly verdict: Deny }
  | { readonly how: "stopped" };

export interface AttemptTask {
  readonly key: string;
  readonly plan: PlanTask;
  readonly agent: string;
  readonly role: string;
  readonly client: AgentClient;
  readonly packet: Readonly<Record<string, unknown>>;
}

/** S4: an agent that fails to give an answer is started twice more, with the same parameters. */
const startsMax = 3;

/** Dispatches a task, lets its agent work in a checkout of its own, reads what it made and hands it in. */
export async function runAttempt(
  context: RunContext,
  task: AttemptTask,
  stop: AbortSignal,
): Promise<AttemptEnd> {
  const { engine, call } = context;
  const dispatched = await operate(engine, "dispatch", { packet: task.packet, runnerPid: process.pid }, call);
  if (!dispatched.allow) return { how: "refused", verdict: dispatched };
  const started = dispatched.details as { epoch: number; attempt: number; token: string; fix_delta: unknown };
  const own: Call = { ...call, epoch: started.epoch };
  try {
    return await workAndHandIn(context, { task, started, own, stop });
  } catch (error) {
    // One task's trouble is not the run's: it is told like any other failure of an attempt.
    return fail(context, task, own, error instanceof Error ? error.message : String(error));
  }
}

interface Started {
  readonly task: AttemptTask;
  readonly started: Work["started"];
  readonly own: Call;
  readonly stop: AbortSignal;
}

async function workAndHandIn(
  context: RunContext,
  { task, started, own, stop }: Started,
): Promise<AttemptEnd> {
  const { engine } = context;
  const { repository } = await context.atBase();
  const place = await openWorkPlace({
    ...context,
    repository,
    world: engine.world,
    task: task.plan.id,
    attempt: started.attempt,
    lockScope: task.plan.lock_scope,
  });
  if ("error" in place) return fail(context, task, own, `its checkout cannot be set up: ${place.error}`);
  for (const text of place.notes) context.onTask(task.key, { type: "said", text });
  const heartbeats = new Heartbeats(context, { task: task.key, call: own, stop });
  for (let starts = 1; ; starts += 1) {
    const end = await work(context, { task, place, started, heartbeats });
    if (heartbeats.fault !== undefined) throw heartbeats.fault;
    if (heartbeats.lost !== undefined) return { how: "refused", verdict: heartbeats.lost };
    if (end.how === "stopped") return { how: "stopped" };
    if (end.how === "done") return handIn(context, { task, place, call: own, answer: end.answer });
    const reason = end.how === "failed" ? `${end.reason}\n${end.output}` : end.reason;
    context.onTask(task.key, { type: "said", text: `ended badly: ${reason}` });
    if (starts === startsMax || end.how !== "failed") return fail(context, task, own, reason, starts - 1);
  }
}

interface Work {
  readonly task: AttemptTask;
  readonly place: WorkPlace;
  readonly started: {
    readonly epoch: number;
    readonly attempt: number;
    readonly token: string;
    readonly fix_delta: unknown;
  };
  readonly heartbeats: Heartbeats;
}

async function work(context: RunContext, { task, place, started, heartbeats }: Work): Promise<AgentEnd> {
  const { repository, config, socket } = context;
  const run = task.client.start({
    input: inputFor(context, task, started),
    wrap: place.wrap,
    folder: place.checkout.folder,
    env: {
      ...passed(config.workspace.env_pass),
      LOCKSTEP_TASK: task.key,
      LOCKSTEP_EPOCH: String(started.epoch),
      LOCKSTEP_TOKEN: started.token,
      LOCKSTEP_ROOT: repository.root,
      ...(socket === undefined ? {} : { LOCKSTEP_SOCKET: socket }),
    },
    msMax: (config.limits.minutes.halt ?? 24 * 60) * 60_000,
    onEvent: (event: AgentEvent) => {
      context.onTask(task.key, event);
      heartbeats.beat(event.type === "usage" ? event.tokens : 0);
    },
  });
  using _following = heartbeats.follow(() => void run.stop());
  return await run.ended;
}

/** The tree is the answer: what the agent says of it stands beside it. */
async function handIn(
  context: RunContext,
  { task, place, call, answer }: { task: AttemptTask; place: WorkPlace; call: Call; answer: unknown },
): Promise<AttemptEnd> {
  const { engine } = context;
  const collected = await collectWork(place.checkout, {
    subject: `${task.plan.id}: ${task.plan.title ?? ""}`,
  });
  if (collected !== "unchanged") await showBranch(context, task, collected.commit);
  await writeWorklog(context, task, answer);
  const document = reportOf(task, answer);
  if ("invalid" in document) return fail(context, task, call, document.invalid);
  const verdict: Verdict = await operate(engine, "submit", { task: task.key, ...document }, call);
  return verdict.allow ? { how: "handed-in" } : { how: "refused", verdict };
}

/** For people to look at. What somebody else has there is kept, and what is checked out is not moved. */
async function showBranch(
  { repository: { root }, onTask }: RunContext,
  { key, plan }: AttemptTask,
  commit: string,
): Promise<void> {
  const branch = `lockstep/${plan.id}`;
  const old = await readRef(root, `refs/heads/${branch}`);
  const told = (text: string) => onTask(key, { type: "said", text });
  if ((await checkoutOf(root, branch)) !== undefined)
    return told(`\`${branch}\` is checked out and stays; the work is ${commit.slice(0, 12)}`);
  if (old !== undefined) await keepOnRef(root, `refs/lockstep/replaced/${plan.id}/${old.slice(0, 12)}`, old);
  const { exit, stderr } = await tryGit(root, ["update-ref", `refs/heads/${branch}`, commit, old ?? ""]);
  if (exit !== 0) told(`\`${branch}\` cannot be set: ${stderr.trim()}; the work is ${commit.slice(0, 12)}`);
}

/** Lockstep writes the worklog where the agent did not; without secrets (INV-8). */
async function writeWorklog(
  { repository, engine }: RunContext,
  { packet, key }: AttemptTask,
  answer: unknown,
): Promise<void> {
  const { worklog_path: path } = packet.assignment as { worklog_path: string };
  const at = new Date(engine.clock.now().wallMs).toISOString();
  const entry = await maskDocument({ at, task: key, answer: answer ?? null });
  appendToMemory(repository.root, path, `${JSON.stringify(entry)}\n`);
}

function inputFor(
  { config, repository }: RunContext,
  { plan, packet }: AttemptTask,
  started: Work["started"],
) {
  const fixDelta = started.fix_delta as Parameters<typeof universalInput>[1]["fixDelta"];
  return universalInput(
    { ...plan, title: plan.title ?? plan.goal },
    {
      assignment: packet.assignment as Parameters<typeof universalInput>[1]["assignment"],
      attempt: started.attempt,
      fixDelta: fixDelta === null ? null : { ...fixDelta, previous_ref: `refs/heads/lockstep/${plan.id}` },
      branch: repository.base,
      projectType: config.project_type,
    },
  );
}

/**
 * Its own words, without its word on what it changed and on what passed: the first is read from the checkout, the
 * second is run.
 */
function reportOf(
  { plan, role }: AttemptTask,
  answer: unknown,
): { readonly document: unknown } | { readonly invalid: string } {
  const task = { id: plan.id, criteria: plan.acceptance_checks, worklogPath: undefined };
  const read = readAnswer(answer, { task, role });
  if (read.kind === "invalid") return { invalid: `its answer cannot be used: ${read.reason}` };
  if (read.kind === "question" || read.report.kind !== "result" || read.report.status !== "done")
    return { document: answer };
  const { notes_for_orchestrator: notes } = read.report.result;
  const artifacts = { files_changed: [], commands_to_run: [], notes: Array.isArray(notes) ? notes : [] };
  return {
    document: {
      status: "OK",
      summary: read.output?.summary ?? "done",
      artifacts,
      gates: {
        meets_definition_of_done: true,
        needs_review: false,
        needs_tests: false,
        security_concerns: [],
      },
      next: { recommended_agent: "Orchestrator", recommended_task_id: plan.id, reason: "done" },
    },
  };
}

async function fail(
  { engine }: RunContext,
  task: AttemptTask,
  call: Call,
  reason: string,
  retries = 0,
): Promise<AttemptEnd> {
  const error = {
    taskId: task.plan.id,
    agent: task.agent,
    errorType: "runtime",
    message: reason.slice(0, 2000),
    attemptedFix: retries === 0 ? "none" : "started again with the same parameters",
    retryCount: retries,
    recommendation: "look at its log",
  };
  const verdict = await operate(engine, "submit", { task: task.key, document: { error } }, call);
  const refused = verdict.allow ? deny("R-AG-001", reason.split("\n")[0] ?? reason) : verdict;
  return { how: "refused", verdict: refused };
}

function passed(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""]])),
  );
}
