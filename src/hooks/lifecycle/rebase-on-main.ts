import { failure, type HookContext, type HookResult, skip, success } from "./hook.ts";
import type { GitAnswer, HookPorts } from "./hook-ports.ts";

const filesShownMax = 50;
/** A person's settings that would move or hide more than the branch's own commits. */
const settings = [
  "-c",
  "rebase.autoStash=false",
  "-c",
  "rebase.autoSquash=false",
  "-c",
  "rebase.updateRefs=false",
];

type Ports = Pick<HookPorts, "git" | "repository">;

/** Puts the branch on top of its base, whatever that is called. */
export async function rebaseOnMain(context: HookContext, { git, repository }: Ports): Promise<HookResult> {
  const { base_branch: base, branch_name: branch } = context;
  const onBranch = async () => text(await git(["symbolic-ref", "--quiet", "--short", "HEAD"])) === branch;
  if (!(await onBranch()))
    return failure(
      `the checkout is not on \`${branch}\`: end what was begun there, check the branch out and submit again`,
    );
  const fetched = await git(["fetch", "--quiet", "--no-tags", "--", repository, `refs/heads/${base}`]);
  if (fetched.exit !== 0) return failure(`\`${base}\` cannot be fetched: ${lastLine(fetched.stderr)}`);
  const commit = text(await git(["rev-parse", "--verify", "FETCH_HEAD^{commit}"]));
  const contained = await git(["merge-base", "--is-ancestor", commit, "HEAD"]);
  if (contained.exit === 0)
    return skip(`\`${branch}\` is up to date with \`${base}\``, { base_commit: commit });
  const rebased = await git([...settings, "rebase", "--quiet", commit]);
  if (rebased.exit === 0) return success(`rebased on \`${base}\``, { base_commit: commit });
  const unmerged = await git(["diff", "--name-only", "--diff-filter=U", "-z"]);
  // A rebase that has begun is on no branch, and one that was refused has nothing to abort.
  if (!(await onBranch())) {
    const aborted = await git(["rebase", "--abort"]);
    if (aborted.exit !== 0)
      return failure(
        `the rebase on \`${base}\` failed and cannot be aborted: ${lastLine(aborted.stderr)}; look at ${context.worktree}`,
      );
  }
  const files = unmerged.stdout.toString().split("\0").filter(Boolean);
  if (files.length === 0) return failure(`the rebase on \`${base}\` failed: ${lastLine(rebased.stderr)}`);
  const named = files.slice(0, filesShownMax).map((file) => JSON.stringify(file));
  return failure(`the rebase on \`${base}\` conflicts in ${named.join(", ")}`, {
    context: { conflicts: files, base_commit: commit },
    prompt: conflictPrompt(context, { commit, named, left: files.length - named.length }),
  });
}

interface Conflict {
  readonly commit: string;
  readonly named: readonly string[];
  readonly left: number;
}

/** Asks for a merge, because agents may not rewrite branches; after it the rebase has nothing left to do. */
function conflictPrompt(context: HookContext, { commit, named, left }: Conflict): string {
  const more = left > 0 ? [`- and ${left} more, which git names`] : [];
  return [
    `Your branch \`${context.branch_name}\` conflicts with \`${context.base_branch}\`, which went on meanwhile.`,
    "A rebase was tried and aborted: your commits are as you left them. These files conflict:",
    ...named.map((file) => `- ${file}`),
    ...more,
    "",
    `1. In ${context.worktree} run \`git merge ${commit}\`.`,
    "2. In each of these files keep what both sides want, and leave no conflict markers.",
    "3. Run the tests that concern them.",
    "4. `git add` these files and `git commit --no-edit`.",
    "",
    "Change nothing else.",
  ].join("\n");
}

function text({ stdout }: GitAnswer): string {
  return stdout.toString().trim();
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}
