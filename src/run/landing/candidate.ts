import type { Maker } from "../../core/names/agent-trailers.ts";
import { commandsIn, statementsIn } from "../../core/proof/criterion.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { reviewedTask, rolledBackMerges } from "../../engine/landing/finish-landing.ts";
import { findCommit, whyApart, whyNoCommit } from "../../workspace/git/find-commit.ts";
import { simpleFork } from "../../workspace/git/fork-point.ts";
import { mergeTrees } from "../../workspace/git/merge-commits.ts";
import { readDiff } from "../../workspace/git/read-diff.ts";
import { isAncestor, readParents } from "../../workspace/git/refs.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import { git, tryGit } from "../../workspace/git/run-git.ts";
import { findLeak } from "./chain/find-leak.ts";
import { findOutsideScope } from "./chain/judge-diff.ts";
import type { WantedCheck } from "./checks/prove-checks.ts";

/** A branch or a task's work that is to be merged into the base. */
export interface Candidate {
  readonly branch: string;
  /** Its task, which is in review; null for a branch without a task. */
  readonly task: string | null;
  readonly session: string | null;
  /** Agent and model; both null for a branch without a task. */
  readonly maker: Maker;
  readonly title: string;
  readonly commit: string;
  /** Its trial merge onto the base as it was then. */
  readonly merged: { readonly onto: string; readonly tree: string };
  readonly scope: readonly string[];
  readonly forbidden: readonly string[];
  /** Its own checks (`acceptance` and `proves`), without the project's. */
  readonly checks: readonly WantedCheck[];
  /** Statements that only a person can confirm. */
  readonly manual: readonly string[];
  readonly changed: readonly string[];
  /** Globs of tests that a person has allowed this change to edit. */
  readonly mayChangeTests: readonly string[];
}

export interface BranchRequest {
  readonly branch: string;
  /** Its task. If absent, the task is found by the name of the branch. */
  readonly task?: string;
  /** The commit that was handed in. The branch itself is only for people to look at, and anybody can move it. */
  readonly commit?: string;
  readonly scope: readonly string[] | null;
  readonly checks: readonly string[];
  readonly proves: readonly string[];
  /** Globs of tests that this change may edit, given by a person on the command line. */
  readonly mayChangeTests?: readonly string[];
}

export type Examined =
  | { readonly candidate: Candidate }
  | { readonly nothing: true }
  | { readonly refused: Deny; readonly task: string | null; readonly changed: readonly string[] };

/** Reads what a branch changes. Refuses it if it leaves its scope, contains a secret or conflicts with the base. */
export async function examineBranch(
  engine: Engine,
  { root, base, baseCommit }: RepositoryState,
  request: BranchRequest,
): Promise<Examined> {
  const { branch } = request;
  const commit = request.commit ?? (await findCommit(root, branch));
  if (commit === undefined) return refusal(deny("R-IN-001", await whyNoCommit(root, branch)));
  const out = await findRolledBack(engine, { root, base, branch, commit });
  if (out !== undefined) return refusal(out);
  const task =
    request.task === undefined ? await reviewedTask(engine, branch) : await engine.ledger.task(request.task);
  if (task !== undefined && "allow" in task) return refusal(task);
  const fork = await readFork(root, baseCommit, commit);
  if (fork === commit)
    return task?.state === "REVIEW" ? { refused: unchanged, task: task.key, changed: [] } : { nothing: true };
  if (fork === undefined) return refusal(deny("R-GT-001", await whyApart(root, branch, base)));
  const diff = await readDiff(root, fork, commit);
  const changed = diff.map(({ path }) => path);
  const { scope, forbidden, checks, manual, mayChangeTests } = termsOf(task, request);
  const outside = findOutsideScope(
    engine.world,
    { scope, forbidden, session: task?.session ?? null, task: request.task && task?.id },
    diff,
  );
  const [merged, title] = await Promise.all([
    mergeTrees(root, baseCommit, commit),
    task?.title ?? git(root, ["log", "-1", "--format=%s", commit]),
  ]);
  // A person who lands a branch is responsible for its content, so only tasks are searched for secrets.
  const leak =
    request.task === undefined ? undefined : await findLeak(engine, { root, from: fork, to: commit });
  const refused =
    outside ??
    leak ??
    ("conflicts" in merged ? conflict(branch, base, merged.conflicts, request.task) : undefined);
  if (refused !== undefined) return { refused, task: task?.key ?? null, changed };
  return {
    candidate: {
      branch,
      task: task?.key ?? null,
      session: task?.session ?? null,
      maker: { agent: task?.agent ?? null, model: task?.model ?? null },
      title: plainLine(title),
      commit,
      merged: { onto: baseCommit, tree: merged.tree },
      scope,
      forbidden,
      checks,
      manual,
      changed,
      mayChangeTests: [...mayChangeTests, ...(request.mayChangeTests ?? [])],
    },
  };
}

/** Work that was handed in without a change (S1-116). */
const unchanged = deny(
  "R-PC-003",
  "the work was handed in as done, but no file was changed: do the work, or report what blocks it",
  { signal: "unchanged_edit" },
);

/** A branch that was merged and rolled back: git takes its old commits for merged and would leave them out. */
async function findRolledBack(
  engine: Engine,
  { root, base, branch, commit }: Readonly<Record<"root" | "base" | "branch" | "commit", string>>,
): Promise<Deny | undefined> {
  for (const { key, commit: merge, revertedBy } of await rolledBackMerges(engine, branch)) {
    if (merge === null || !(await isAncestor(root, `${merge}^2`, commit))) continue;
    const again = `git switch -c again ${base} && git revert --no-edit ${revertedBy?.slice(0, 12)}`;
    const reason = `\`${branch}\` was merged and then rolled back, so git would leave out its old commits: run \`${again}\`, then land the branch \`again\``;
    return deny("R-GT-001", reason, { task_id: key, reverted_by: revertedBy });
  }
  return undefined;
}

/** Scope, checks and permissions of a task. The caller can add checks, not change the rest. */
function termsOf(task: Task | undefined, { scope, checks, proves: wished }: BranchRequest) {
  const { lock_scope, forbidden_scope, acceptance_criteria, proves, may_change_tests } =
    task?.assignment ?? {};
  const ofPlan = task?.session != null;
  const held = lock_scope ?? [];
  const criteria = acceptance_criteria ?? [];
  return {
    scope: held.length > 0 ? held : (scope ?? ["."]),
    forbidden: forbidden_scope ?? [],
    // Only a plan has a person's consent. A packet that another program wrote does not.
    mayChangeTests: ofPlan ? (may_change_tests ?? []) : [],
    manual: statementsIn(criteria),
    checks: [
      ...[...new Set([...commandsIn(criteria), ...checks])].map((command) => ({
        command,
        kind: "acceptance" as const,
      })),
      ...[...new Set([...(proves ?? []), ...wished])].map((command) => ({
        command,
        kind: "proves" as const,
      })),
    ],
  };
}

/** The text as one line of a commit message, without control characters. */
function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a message must not command a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}

async function readFork(root: string, base: string, commit: string): Promise<string | undefined> {
  const fork = (await readParents(root, commit)).includes(base) ? base : await simpleFork(root, base, commit);
  if (fork !== undefined) return fork;
  const { exit, stdout } = await tryGit(root, ["merge-base", base, commit]);
  return exit === 0 ? stdout.toString("utf8").trim() : undefined;
}

export function conflict(branch: string, base: string, conflicts: readonly string[], task?: string): Deny {
  const files = `\`${conflicts.join("`, `")}\``;
  const next = task === undefined ? "and land again" : "and hand it in again";
  const reason = `\`${branch}\` conflicts with earlier changes in ${files}: rebase it on \`${base}\` ${next}`;
  return deny("R-GT-001", reason, { conflicts });
}

function refusal(refused: Deny): Examined {
  return { refused, task: null, changed: [] };
}
