import type { Maker } from "../../core/names/agent-trailers.ts";
import { commandsIn, statementsIn } from "../../core/proof/criterion.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { reviewedTask, rolledBackMerges } from "../../engine/landing/finish-landing.ts";
import { findCommit, whyApart, whyNoCommit } from "../../workspace/git/find-commit.ts";
import { mergeTrees } from "../../workspace/git/merge-commits.ts";
import { readDiff } from "../../workspace/git/read-diff.ts";
import { isAncestor, readParents } from "../../workspace/git/refs.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import { git, tryGit } from "../../workspace/git/run-git.ts";
import { findLeak } from "./find-leak.ts";
import { findOutsideScope } from "./judge-diff.ts";
import type { WantedCheck } from "./prove-checks.ts";

/** A piece of work that asks to become part of the base. */
export interface Candidate {
  readonly branch: string;
  /** The task in review that it is the work of; null for a branch that any tool made. */
  readonly task: string | null;
  readonly session: string | null;
  /** Who made it; null for a branch that any tool made. */
  readonly maker: Maker;
  readonly title: string;
  readonly commit: string;
  readonly scope: readonly string[];
  readonly forbidden: readonly string[];
  /** Its own: acceptance and proves. The project's come on top. */
  readonly checks: readonly WantedCheck[];
  /** What only a person can tell of it. */
  readonly manual: readonly string[];
  readonly changed: readonly string[];
  /** Globs of tests that a person has allowed it to change. */
  readonly mayChangeTests: readonly string[];
}

export interface BranchWish {
  readonly branch: string;
  /** The task that it is the work of, where that is known; else its name may tell. */
  readonly task?: string;
  /** What was handed in for it: the branch is for people, and anybody can move it. */
  readonly commit?: string;
  readonly scope: readonly string[] | null;
  readonly checks: readonly string[];
  readonly proves: readonly string[];
  /** Globs of tests that the caller, a person, lets it change. */
  readonly mayChangeTests?: readonly string[];
}

export type Examined =
  | { readonly candidate: Candidate }
  | { readonly nothing: true }
  | { readonly refused: Deny; readonly task: string | null; readonly changed: readonly string[] };

/** What a branch brings, and whether it keeps to its scope. */
export async function examineBranch(
  engine: Engine,
  { root, base, baseCommit }: RepositoryState,
  wish: BranchWish,
): Promise<Examined> {
  const { branch } = wish;
  const commit = wish.commit ?? (await findCommit(root, branch));
  if (commit === undefined) return refusal(deny("R-IN-001", await whyNoCommit(root, branch)));
  const out = await findRolledBack(engine, { root, base, branch, commit });
  if (out !== undefined) return refusal(out);
  const task =
    wish.task === undefined ? await reviewedTask(engine, branch) : await engine.ledger.task(wish.task);
  if (task !== undefined && "allow" in task) return refusal(task);
  const fork = await readFork(root, baseCommit, commit);
  if (fork === commit)
    return task?.state === "REVIEW" ? { refused: unchanged, task: task.key, changed: [] } : { nothing: true };
  if (fork === undefined) return refusal(deny("R-GT-001", await whyApart(root, branch, base)));
  const diff = await readDiff(root, fork, commit);
  const changed = diff.map(({ path }) => path);
  const { scope, forbidden, checks, manual, mayChangeTests } = termsOf(task, wish);
  const outside = findOutsideScope(
    engine.world,
    { scope, forbidden, session: task?.session ?? null, task: wish.task && task?.id },
    diff,
  );
  const merged = await mergeTrees(root, baseCommit, commit);
  // Of a branch that a person lands, that person answers for what it holds.
  const leak = wish.task === undefined ? undefined : await findLeak(engine, { root, from: fork, to: commit });
  const refused =
    outside ??
    leak ??
    ("conflicts" in merged ? conflict(branch, base, merged.conflicts, wish.task) : undefined);
  if (refused !== undefined) return { refused, task: task?.key ?? null, changed };
  return {
    candidate: {
      branch,
      task: task?.key ?? null,
      session: task?.session ?? null,
      maker: { agent: task?.agent ?? null, model: task?.model ?? null },
      title: plainLine(task?.title ?? (await git(root, ["log", "-1", "--format=%s", commit]))),
      commit,
      scope,
      forbidden,
      checks,
      manual,
      changed,
      mayChangeTests: [...mayChangeTests, ...(wish.mayChangeTests ?? [])],
    },
  };
}

/** S1-116. */
const unchanged = deny(
  "R-PC-003",
  "the work was handed in as done, but nothing was changed: do it, or say what stops it",
  { signal: "unchanged_edit" },
);

/** Git would merge nothing of what was rolled back, or only what came after it. */
async function findRolledBack(
  engine: Engine,
  { root, base, branch, commit }: Readonly<Record<"root" | "base" | "branch" | "commit", string>>,
): Promise<Deny | undefined> {
  for (const { key, commit: merge, revertedBy } of await rolledBackMerges(engine, branch)) {
    if (merge === null || !(await isAncestor(root, `${merge}^2`, commit))) continue;
    const again = `git switch -c again ${base} && git revert --no-edit ${revertedBy?.slice(0, 12)}`;
    const reason = `\`${branch}\` was merged and rolled back, so git would leave that part out: \`${again}\`, then land that`;
    return deny("R-GT-001", reason, { task_id: key, reverted_by: revertedBy });
  }
  return undefined;
}

/** A task's own terms hold; what the caller adds comes on top. */
function termsOf(task: Task | undefined, { scope, checks, proves: wished }: BranchWish) {
  const { lock_scope, forbidden_scope, acceptance_criteria, proves, may_change_tests } =
    task?.assignment ?? {};
  const ofPlan = task?.session != null;
  const held = lock_scope ?? [];
  const criteria = acceptance_criteria ?? [];
  return {
    scope: held.length > 0 ? held : (scope ?? ["."]),
    forbidden: forbidden_scope ?? [],
    // Another program's packet is not a person's word.
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

/** It becomes part of a commit message. */
function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a message must not command a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}

async function readFork(root: string, base: string, commit: string): Promise<string | undefined> {
  if ((await readParents(root, commit)).includes(base)) return base;
  const { exit, stdout } = await tryGit(root, ["merge-base", base, commit]);
  return exit === 0 ? stdout.toString("utf8").trim() : undefined;
}

export function conflict(branch: string, base: string, conflicts: readonly string[], task?: string): Deny {
  const files = `\`${conflicts.join("`, `")}\``;
  const way = task === undefined ? "and land again" : "and hand it in again";
  const reason = `\`${branch}\` conflicts with what comes before it in ${files}: rebase it on \`${base}\` ${way}`;
  return deny("R-GT-001", reason, { conflicts });
}

function refusal(refused: Deny): Examined {
  return { refused, task: null, changed: [] };
}
