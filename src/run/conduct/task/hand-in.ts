import { agentTrailers } from "../../../core/names/agent-trailers.ts";
import { branchOf } from "../../../core/names/ref-names.ts";
import { unprovenClaims, unprovenDeeds } from "../../../core/proof/unproven-claims.ts";
import { type Deny, deny, type Verdict } from "../../../core/rules/verdict.ts";
import { synthesised } from "../../../core/tasks/result.ts";
import { quoted, shortened } from "../../../core/text/quoted.ts";
import type { Call } from "../../../engine/change/engine.ts";
import { refuseLanding } from "../../../engine/landing/finish-landing.ts";
import { operate } from "../../../engine/operate.ts";
import { type Collected, collectWork } from "../../../workspace/checkouts/collect-work.ts";
import type { RemoteTrouble } from "../../../workspace/git/remote.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";
import type { SessionFiles } from "../../attempt/session-files.ts";
import type { Workplace } from "../../attempt/workplace.ts";
import { findLeak } from "../../landing/chain/find-leak.ts";
import { findOutsideScope } from "../../landing/chain/judge-diff.ts";
import { pushWork } from "../../landing/work/share-work.ts";
import { showBranch } from "./work-branch.ts";
import type { Worked } from "./work-on-task.ts";
import { addEntry } from "./worklog.ts";

export interface Handing {
  readonly task: RunTask;
  readonly agent: string;
  readonly sessionFiles: SessionFiles;
  readonly call: Call;
  readonly talked: Worked;
  readonly turns: number;
  /** The checkout. */
  readonly folder: string;
}

/** Commits the content of the agent's checkout to a ref that only Lockstep moves. */
export async function collect(
  context: RunContext,
  { task, place }: { readonly task: RunTask; readonly place: Workplace },
): Promise<Collected | "unchanged"> {
  const { plan } = task;
  const subject = `${plan.id}: ${plan.title}`;
  const collected = await collectWork(place.checkout, {
    subject,
    trailers: await makerTrailers(context, task),
  });
  if (collected !== "unchanged") await showBranch(context, task, collected.commit);
  return collected;
}

/** The trailers that name the task, agent and model of a commit, from the ledger. */
export async function makerTrailers(
  { engine }: Pick<RunContext, "engine">,
  { key, plan }: Pick<RunTask, "key" | "plan">,
): Promise<Readonly<Record<string, string>>> {
  const { agent = null, model = null } = (await engine.ledger.task(key)) ?? {};
  return { "Lockstep-Task": plan.id, ...agentTrailers({ agent, model }) };
}

/** Refuses work that changes paths outside its scope or contains a nested repository. */
export async function findStray(
  { engine }: Pick<RunContext, "engine">,
  { key }: Pick<RunTask, "key">,
  collected: Collected | "unchanged",
): Promise<Deny | undefined> {
  if (collected === "unchanged") return undefined;
  if (collected.nested.length > 0) return nestedRepositories(collected);
  const task = await engine.ledger.task(key);
  const limits = {
    scope: task?.assignment?.lock_scope ?? [],
    forbidden: task?.assignment?.forbidden_scope ?? [],
    session: task?.session ?? null,
    task: task?.id,
  };
  return findOutsideScope(engine.world, limits, collected.changed);
}

/** Work that was not handed in, because it could not be pushed. */
export interface Unshared {
  readonly unshared: string;
  readonly trouble: RemoteTrouble;
}

/** Pushes work to the remote, if one is configured, before it is handed in. Work with a secret is refused instead. */
export async function shareWork(
  context: Pick<RunContext, "engine" | "repository" | "config">,
  { commit, ref }: Collected,
  base: string,
): Promise<Deny | Unshared | undefined> {
  if (context.config.remote === null) return undefined;
  const { root } = context.repository;
  const leak = await findLeak(context.engine, { root, from: base, to: commit });
  if (leak !== undefined) return leak;
  const stopped = await pushWork(context, { ref, commit });
  if (stopped === undefined) return undefined;
  const unshared = `the work is kept on ${ref}, but cannot be pushed to ${stopped.why}`;
  return { unshared, trouble: stopped.how === "rejected" ? "refuses" : "fails" };
}

/** The refusal says what the agent can do. The content of the nested repositories is kept. */
function nestedRepositories({ nested, ref }: Collected): Deny {
  const [first = ""] = nested;
  const named = nested
    .slice(0, 5)
    .map((path) => quoted(path))
    .join(", ");
  const are = nested.length === 1 ? "is a git repository" : "are git repositories";
  const ways = [
    `keep the files and delete \`${first}/.git\``,
    "or let the tests create such a repository in a temporary folder when they run",
    "or list the folder in .gitignore if none of it should be merged",
  ];
  return deny("R-GT-001", `${named} ${are} inside this one, which cannot be merged: ${ways.join(", ")}`, {
    nested,
    kept: ref,
  });
}

/** Submits the work. The changed files count; the agent's report is recorded next to them. */
export async function handIn(
  context: RunContext,
  handing: Handing,
  collected: Collected | "unchanged",
): Promise<Verdict> {
  const { task, agent, sessionFiles, call, talked, turns } = handing;
  const report = reportOf(handing, collected);
  const counts = {
    ...{ commits_count: collected === "unchanged" ? 0 : 1, turns_used: turns },
    ...unprovenIn(context, handing, collected),
  };
  await sessionFiles.collect();
  await addEntry(context, task, {
    ...{ actor: agent, action: "hand in", files_touched: pathsOf(collected) },
    decision: talked.how === "answered" ? talked.answer.answer : null,
    ...{ result: "handed in", next_step: "review", report: report.kind, ...counts },
  });
  const by = { ...call, as: `agent ${agent}` };
  return operate(context.engine, "submit", { task: task.key, document: report.document, counts }, by);
}

const claimsMax = 100;

/** Claims of the answer that no evidence shows: files that were not changed, and actions outside the repository. */
function unprovenIn(
  { repository }: RunContext,
  { talked, folder }: Handing,
  collected: Collected | "unchanged",
): { readonly unproven_claims?: readonly string[]; readonly unproven_deeds?: readonly string[] } {
  if (talked.how !== "answered" || talked.answer.reading.kind === "question") return {};
  const { report, output } = talked.answer.reading;
  if (report.kind !== "result" || report.status !== "done") return {};
  const { changes, notes_for_orchestrator: notes } = report.result;
  const claimed = [...changes.map(({ resource }) => resource), ...(output?.testsChanged ?? [])];
  const files = unprovenClaims(claimed.slice(0, claimsMax), {
    changed: pathsOf(collected),
    folders: [folder, repository.root],
  });
  const deeds = unprovenDeeds(notes);
  return {
    ...(files.length === 0 ? {} : { unproven_claims: files }),
    ...(deeds.length === 0 ? {} : { unproven_deeds: deeds }),
  };
}

/** Rejects work in review before any reviewer sees it. */
export async function rejectWork(
  { engine, call }: RunContext,
  { key, plan }: RunTask,
  refused: Deny,
): Promise<Deny> {
  const verdict = await refuseLanding(engine, { branch: branchOf(plan.id), task: key, refused }, call);
  return verdict.allow ? refused : verdict;
}

function pathsOf(collected: Collected | "unchanged"): readonly string[] {
  return collected === "unchanged" ? [] : collected.changed.map(({ path }) => path);
}

interface Report {
  /** `synthesised`: Lockstep wrote it from the diff, because the agent gave no usable report. */
  readonly kind: "agent" | "synthesised";
  readonly document: unknown;
}

/**
 * The agent's report, without its claims about changed files and passed checks: the files are read from the checkout, and
 * Lockstep runs the checks itself.
 */
function reportOf({ task, talked }: Handing, collected: Collected | "unchanged"): Report {
  if (talked.how !== "answered") {
    const { length } = pathsOf(collected);
    const files = `changed ${length} ${length === 1 ? "file" : "files"}`;
    const summary =
      talked.how === "silent" ? files : `${files}; the agent's report is unusable: ${talked.reason}`;
    return { kind: "synthesised", document: doneDocument(task, summary, [synthesised]) };
  }
  const { reading, answer } = talked.answer;
  if (reading.kind === "question" || reading.report.kind !== "result" || reading.report.status !== "done")
    return { kind: "agent", document: answer };
  const { notes_for_orchestrator: notes } = reading.report.result;
  const { summary = "done", manualSteps = [], testsChanged = [] } = reading.output ?? {};
  const document = doneDocument(task, summary, Array.isArray(notes) ? notes : []);
  const artifacts = {
    ...document.artifacts,
    ...(manualSteps.length === 0 ? {} : { manual_steps: manualSteps }),
    ...(testsChanged.length === 0 ? {} : { tests_added_or_updated: testsChanged }),
  };
  return { kind: "agent", document: { ...document, artifacts } };
}

export function doneDocument(
  { plan }: { readonly plan: Pick<RunTask["plan"], "id"> },
  summary: string,
  notes: readonly unknown[],
) {
  return {
    status: "OK",
    summary,
    artifacts: { files_changed: [], commands_to_run: [], notes },
    gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
    next: { recommended_agent: "Orchestrator", recommended_task_id: plan.id, reason: "done" },
  };
}

/** Lockstep's recommendation after an agent failed; it tells such an entry from an agent's own error report. */
export const failureAdvice = "look at its log";

/** Records that the agent failed and there is nothing to hand in. */
export async function reportFailure(
  { engine }: RunContext,
  { key, plan }: RunTask,
  { call, agent, reason, starts }: { call: Call; agent: string; reason: string; starts: number },
): Promise<Deny> {
  const error = {
    taskId: plan.id,
    agent,
    errorType: "runtime",
    message: shortened(reason, 2000),
    attemptedFix: starts <= 1 ? "none" : "started again with the same parameters",
    retryCount: Math.max(0, starts - 1),
    recommendation: failureAdvice,
  };
  const verdict = await operate(engine, "submit", { task: key, document: { error } }, call);
  return verdict.allow ? deny("R-AG-001", reason.split("\n")[0] ?? reason) : verdict;
}
