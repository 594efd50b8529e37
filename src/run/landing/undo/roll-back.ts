import type { CheckRecord } from "../../../core/proof/check-record.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { type MovedTask, moveName } from "../../../engine/change/base-moves.ts";
import type { RollbackInput, RollbackPlan } from "../../../engine/change/plan-rollback.ts";
import { readRollback, rollBackUnmerged } from "../../../engine/landing/finish-rollback.ts";
import { commitTree } from "../../../workspace/git/commit-writer.ts";
import { readDiff } from "../../../workspace/git/read-diff.ts";
import { RemoteFault } from "../../../workspace/git/remote.ts";
import { revertCommit } from "../../../workspace/git/revert-commit.ts";
import { git } from "../../../workspace/git/run-git.ts";
import { openProver } from "../checks/open-prover.ts";
import { ChecksProof, projectChecks } from "../checks/prove-checks.ts";
import { freshBase } from "../fresh-base.ts";
import type { IntegrationContext } from "../integration.ts";
import { openIntegrationRef } from "../integration-ref.ts";
import { carryMove } from "../move/carry-move.ts";
import { recoverMoves } from "../move/recover-moves.ts";
import { findHiddenDependencies, type HiddenDependency } from "./analyse-batch.ts";
import { type Restored, restoreUnmerged } from "./restore-unmerged.ts";
import { reportSession, type SessionReport } from "./session-report.ts";

export interface RollbackContext extends IntegrationContext {
  /** Roll back even if the project's checks fail on the result. */
  readonly allowRed: boolean;
}

export interface RolledBack extends RollbackInput {
  readonly outcome: "rolled-back" | "planned" | "nothing" | "refused" | "waiting";
  readonly base: string;
  readonly from: string;
  /** The base's new commit; in a dry run the commit that it would get. */
  readonly to: string;
  readonly refused: Deny | null;
  readonly reverted: readonly RevertedTask[];
  readonly ended: readonly string[];
  readonly blocked: readonly string[];
  /** New tasks that do the work again, one after the other. */
  readonly again: readonly string[];
  /** For a batch: tasks that import what another task of the batch changed. */
  readonly hidden: readonly HiddenDependency[];
  readonly restored: readonly Restored[];
  readonly evidence: readonly Pick<CheckRecord, "command" | "tree">[];
  /** The commands that bring the work back, with the usual proof. */
  readonly way_back: readonly string[];
  /** For a session; null otherwise. */
  readonly report: SessionReport | null;
}

interface RevertedTask {
  readonly task: string;
  readonly commit: string;
  readonly reverted_by: string;
  readonly files: readonly string[];
}

/** Reverts merged work, newest first, together with what depends on it. Deletes nothing. */
export async function rollBack(given: RollbackContext, input: RollbackInput): Promise<RolledBack> {
  try {
    for (const line of await recoverMoves(given)) given.onProgress(line);
    const context = given.config.integrate === "push" ? await freshBase(given) : given;
    return await rollBackAt(context ?? given, input);
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    return resultOf(given, input, waitingFor(given, error.message));
  }
}

async function rollBackAt(context: RollbackContext, input: RollbackInput): Promise<RolledBack> {
  const plan = await readRollback(context.engine, input, context.call);
  if ("allow" in plan) return resultOf(context, input, { outcome: "refused", refused: plan });
  const others = {
    ended: plan.ended.map(({ key }) => key),
    blocked: plan.blocked.map(({ key }) => key),
  };
  if (plan.reverted.length + plan.ended.length === 0) return resultOf(context, input, { outcome: "nothing" });
  await using ref = await openIntegrationRef(context);
  const chain = await revertAll(context, plan.reverted);
  if ("allow" in chain) return resultOf(context, input, { ...others, outcome: "refused", refused: chain });
  const to = chain.at(-1)?.reverted_by ?? context.repository.baseCommit;
  await ref.keep([to]);
  const proof = chain.length === 0 || context.allowRed ? [] : await prove(context, to);
  if ("allow" in proof)
    return resultOf(context, input, { ...others, outcome: "refused", refused: proof, reverted: chain });
  const { root, baseCommit } = context.repository;
  const hidden = input.level === "batch" ? await findHiddenDependencies(root, baseCommit, chain) : [];
  const known = {
    ...{ ...others, to, hidden, reverted: chain, evidence: proof },
    way_back: wayBack(context, input, to),
  };
  if (context.dryRun) return resultOf(context, input, { ...known, outcome: "planned" });
  return await carryOut(context, { input, plan, known });
}

interface Decided {
  readonly input: RollbackInput;
  readonly plan: RollbackPlan;
  readonly known: Pick<
    RolledBack,
    "to" | "reverted" | "evidence" | "way_back" | "ended" | "blocked" | "hidden"
  >;
}

async function carryOut(context: RollbackContext, { input, plan, known }: Decided): Promise<RolledBack> {
  const { engine, call } = context;
  const before = new Set((await engine.ledger.tasks()).map(({ key }) => key));
  if (known.reverted.length === 0) {
    const { allow, ...verdict } = await rollBackUnmerged(engine, input, call);
    if (!allow)
      return resultOf(context, input, {
        ...known,
        outcome: "refused",
        refused: { ...(verdict as Deny), allow },
      });
  } else {
    const stopped = await moveBack(context, { input, plan, known });
    if (stopped !== undefined) return resultOf(context, input, { ...known, ...stopped });
  }
  const restored = await restoreUnmerged(context, plan.ended);
  const again = (await engine.ledger.tasks()).map(({ key }) => key).filter((key) => !before.has(key));
  const report =
    input.level === "session"
      ? await reportSession(engine, context.repository.root, {
          session: input.name,
          reverted: known.reverted.map(({ task }) => task),
          wayBack: known.way_back,
        })
      : null;
  return resultOf(context, input, { ...known, restored, again, report, outcome: "rolled-back" });
}

async function moveBack(context: RollbackContext, { input, plan, known }: Decided) {
  const { engine, repository } = context;
  const stopped = await carryMove(context, {
    kind: "roll-back",
    base: repository.base,
    from: repository.baseCommit,
    to: known.to,
    batch: moveName("ROLLBACK", engine.clock.now().wallMs),
    members: known.reverted.map((one) => movedTask(one, plan)),
    rollback: input,
  });
  if (stopped === undefined) return undefined;
  if (stopped === "moved")
    return laterOn(`\`${context.repository.base}\` has moved in the meantime: try again`);
  return waitingFor(context, "why" in stopped ? stopped.why : stopped.reason);
}

function waitingFor({ repository }: RollbackContext, why: string) {
  return laterOn(`\`${repository.base}\` cannot move now: ${why}; then try again`);
}

function laterOn(reason: string) {
  return { outcome: "waiting" as const, refused: deny("R-GT-001", reason), way_back: [] };
}

function movedTask(
  { task, reverted_by, commit, files }: RevertedTask,
  { reverted }: RollbackPlan,
): MovedTask {
  const { title, assignment } = reverted.find(({ key }) => key === task) as Task;
  const branch = assignment?.branch ?? task;
  const proof = { rolled_back: task, commit, files };
  return { task, branch, title: title ?? task, commit: reverted_by, scope: [], evidence: [], proof };
}

/** One revert commit for each task, newest first. The commits are on no branch yet. */
async function revertAll(
  { repository }: RollbackContext,
  tasks: readonly Task[],
): Promise<readonly RevertedTask[] | Deny> {
  const { root, base, baseCommit } = repository;
  const history = (await git(root, ["rev-list", baseCommit])).split("\n");
  const age = new Map(history.map((commit, index) => [commit, index]));
  const reverted: RevertedTask[] = [];
  const missing = tasks.find(({ commit }) => commit === null || !age.has(commit));
  if (missing !== undefined)
    return deny(
      "R-GT-001",
      `the commit of task \`${missing.key}\` is not part of \`${base}\`: only merged work can be rolled back`,
      { task_id: missing.key, commit: missing.commit },
    );
  const newestFirst = [...tasks].sort(
    (one, other) => (age.get(one.commit ?? "") ?? 0) - (age.get(other.commit ?? "") ?? 0),
  );
  let tip = baseCommit;
  for (const { key, title, commit } of newestFirst) {
    const taken = commit as string;
    const merged = await revertCommit(root, tip, taken);
    if ("conflicts" in merged)
      return deny(
        "R-GT-001",
        `later work changed the same lines as task \`${key}\` in \`${merged.conflicts.join("`, `")}\`: roll that back first, or revert by hand`,
        { task_id: key, conflicts: merged.conflicts },
      );
    const subject = `Roll back ${key}: ${title ?? key}`;
    const trailers = { "Lockstep-Task": key, "Lockstep-Reverts": taken };
    const next = await commitTree(root, { tree: merged.tree, parents: [tip], subject, trailers });
    const files = (await readDiff(root, tip, next)).map(({ path }) => path);
    reverted.push({ task: key, commit: taken, reverted_by: next, files });
    tip = next;
  }
  return reverted;
}

/** Runs the project's checks on the result, so that the base stays green. */
async function prove(context: RollbackContext, commit: string): Promise<RolledBack["evidence"] | Deny> {
  const { config, onProgress } = context;
  using prover = await openProver(context);
  const wanted = await projectChecks(context.repository.root, commit, config.checks.default);
  const checks = new ChecksProof({
    root: context.repository.root,
    prover,
    base: commit,
    onBase: "on the rolled-back tree",
    flaky: config.checks.flaky,
    onProgress,
  });
  const red = await checks.findRedBase(wanted);
  if (red === undefined) {
    const tree = await git(context.repository.root, ["rev-parse", `${commit}^{tree}`]);
    return wanted.map(({ command }) => ({ command, tree }));
  }
  const reason = `\`${String(red.details.command)}\` fails after the rollback: roll back more, or pass --allow-red`;
  return deny("R-PC-002", reason, red.details);
}

function wayBack({ repository }: RollbackContext, { name }: RollbackInput, to: string): readonly string[] {
  const { base, baseCommit } = repository;
  if (to === baseCommit) return [];
  const branch = `again-${name.replace(/[^A-Za-z0-9._-]+/g, "-")}`;
  return [
    `git switch -c ${branch} ${base}`,
    `git revert --no-edit ${baseCommit.slice(0, 12)}..${to.slice(0, 12)}`,
    `git switch - && lockstep land ${branch}`,
  ];
}

function resultOf(
  { repository }: RollbackContext,
  input: RollbackInput,
  known: Pick<RolledBack, "outcome"> & Partial<RolledBack>,
): RolledBack {
  const { base, baseCommit } = repository;
  return {
    ...input,
    base,
    from: baseCommit,
    to: baseCommit,
    refused: null,
    reverted: [],
    ended: [],
    blocked: [],
    again: [],
    hidden: [],
    restored: [],
    evidence: [],
    way_back: [],
    report: null,
    ...known,
  };
}
