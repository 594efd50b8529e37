import type { Details } from "../../core/rules/verdict.ts";
import { failure, type HookContext, type HookResult, skip, success } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";
import { openPullRequest } from "./open-pull-request.ts";

/** Pushes the branch and opens a pull request, once, where work comes in that way. */
export async function createPr(
  context: HookContext,
  { integrate, commit: current, push, gh }: Pick<HookPorts, "integrate" | "commit" | "push" | "gh">,
): Promise<HookResult> {
  if (integrate !== "pr") return skip(`no pull request: \`integrate\` is \`${integrate}\`, not \`pr\``);
  if (context.extra.skip_pr === true) return skip("no pull request: the task has `skip_pr`");
  const { branch_name: branch, base_branch: base, task_id, task_title, extra } = context;
  const commit = current();
  const expected = typeof extra.pushed === "string" ? extra.pushed : null;
  const refused = await push({ commit, branch, expected });
  if (refused !== undefined) return failure(`\`${branch}\` cannot be pushed: ${refused.error}`);
  const opened = await openPullRequest(gh, {
    branch,
    base,
    title: `[${task_id}] ${task_title}`,
    body: `Task ${task_id}, ${context.commits_count} commits by ${context.agent_name}.\n`,
  });
  // Told even where the rest fails, or the next push would not know what it may replace.
  const pushed: Details = { pushed: commit };
  if ("error" in opened) return failure(opened.error, { context: pushed });
  if ("missing" in opened)
    return success(`pushed \`${branch}\`; there is no \`gh\` here: open the pull request by hand`, pushed);
  const { url, created } = opened;
  return success(`${created ? "opened" : "there is already"} ${url ?? "a pull request"}`, {
    ...pushed,
    ...(url === null ? {} : { pr_url: url }),
  });
}
