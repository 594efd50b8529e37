import type { Details } from "../../core/rules/verdict.ts";
import { failure, type HookContext, type HookResult, skip, success } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";
import { openPullRequest } from "./open-pull-request.ts";

/** Pushes the branch and opens a pull request, once, if `integrate` is `pr`. */
export async function createPr(
  context: HookContext,
  { integrate, commit: current, push, gh }: Pick<HookPorts, "integrate" | "commit" | "push" | "gh">,
): Promise<HookResult> {
  if (integrate !== "pr") return skip(`no pull request: \`integrate\` is \`${integrate}\`, not \`pr\``);
  if (context.extra.skip_pr === true) return skip("no pull request: the task sets `skip_pr`");
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
  // Reported even if the rest fails: the next push must know which commit it may overwrite.
  const pushed: Details = { pushed: commit };
  if ("error" in opened) return failure(opened.error, { context: pushed });
  if ("missing" in opened)
    return success(`pushed \`${branch}\`; \`gh\` is not installed: open the pull request by hand`, pushed);
  const { url, created } = opened;
  return success(`${created ? "opened" : "already open:"} ${url ?? "a pull request"}`, {
    ...pushed,
    ...(url === null ? {} : { pr_url: url }),
  });
}
