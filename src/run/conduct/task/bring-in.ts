import { branchOf, refsOf } from "../../../core/names/ref-names.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import { operate } from "../../../engine/operate.ts";
import { isAncestor } from "../../../workspace/git/refs.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";
import type { BranchRequest } from "../../landing/candidate.ts";
import { integrate } from "../../landing/integrate.ts";
import { type IntegrationContext, type Member, member } from "../../landing/integration.ts";
import { readWork } from "../../landing/work/share-work.ts";

/** The result of merging one task's work. */
export interface BroughtIn {
  readonly key: string;
  readonly member: Member;
}

export function memberText({ outcome, refused }: Member): string {
  return refused === null ? outcome : `${outcome}, ${refused.code}: ${refused.reason}`;
}

/** Merges the work of tasks in review, in their order, if it can be proven. */
export async function bringIn(context: RunContext, tasks: readonly RunTask[]): Promise<readonly BroughtIn[]> {
  const isDirect = ({ plan }: RunTask) => plan.skip_pr && context.config.integrate === "pr";
  return [
    ...(await bringInAs(context, "local", tasks.filter(isDirect))),
    ...(await bringInAs(
      context,
      context.config.integrate,
      tasks.filter((task) => !isDirect(task)),
    )),
  ];
}

/** A task with `skip_pr` is merged directly, even if the others get pull requests (S2). */
async function bringInAs(
  context: RunContext,
  mode: RunContext["config"]["integrate"],
  tasks: readonly RunTask[],
): Promise<readonly BroughtIn[]> {
  const now = await context.atBase();
  const base = { ...now, config: { ...now.config, integrate: mode } };
  const works = await Promise.all(
    tasks.map(async (task) => ({ task, commit: await handedIn(context, task) })),
  );
  const elsewhere: BroughtIn[] = [];
  const requests: (BranchRequest & { readonly task: string })[] = [];
  for (const { task, commit = base.repository.baseCommit } of works) {
    if (typeof commit === "object") {
      const refused = member(branchOf(task.plan.id), {
        ...{ outcome: "waiting", task: task.key, refused: commit },
        trouble: "fails",
      });
      elsewhere.push({ key: task.key, member: refused });
      continue;
    }
    const merged = mode === "pr" ? await mergedElsewhere(base, task, commit) : undefined;
    const branch = branchOf(task.plan.id);
    if (merged === undefined)
      requests.push({ branch, task: task.key, commit, scope: null, checks: [], proves: [] });
    else elsewhere.push({ key: task.key, member: merged });
  }
  if (requests.length === 0) return elsewhere;
  const { branches } = await integrate(base, requests);
  return [
    ...elsewhere,
    ...branches.map((one, at) => ({ key: requests[at]?.task ?? one.branch, member: one })),
  ];
}

/** A pull request that was merged outside Lockstep: its checks run again on the current base. */
async function mergedElsewhere(
  { engine, repository, call }: IntegrationContext,
  { key, plan }: RunTask,
  commit: string,
): Promise<Member | undefined> {
  const { root, baseCommit } = repository;
  if (commit === baseCommit || !(await isAncestor(root, commit, baseCommit))) return undefined;
  const verdict = await operate(engine, "complete", { task: key, commit: baseCommit, judge: false }, call);
  const merged = { task: key, commit: baseCommit };
  return verdict.allow
    ? member(branchOf(plan.id), { ...merged, outcome: "merged" })
    : member(branchOf(plan.id), { ...merged, outcome: "refused", refused: verdict });
}

/** The commit of the attempt that is in review; undefined if it changed nothing. */
export async function handedIn(
  context: RunContext,
  { key }: Pick<RunTask, "key">,
): Promise<string | undefined | Deny> {
  const task = await context.engine.ledger.task(key);
  if (task === undefined) return undefined;
  const { session, id, attempts: attempt } = task;
  const work = await readWork(context, refsOf({ session, task: id, attempt }).work);
  if (typeof work !== "object") return work;
  return deny("E-GIT", `the work of task \`${key}\` cannot be fetched from ${work.why}; then run again`);
}
