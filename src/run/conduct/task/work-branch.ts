import { branchOf, replacedRef } from "../../../core/names/ref-names.ts";
import { GitFault } from "../../../workspace/git/git-fault.ts";
import { changeRefs } from "../../../workspace/git/ref-writer.ts";
import { checkoutOf, keepOnRef, readRef } from "../../../workspace/git/refs.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";

/** Sets the task's branch, for people to look at. Keeps another commit there on a ref; never moves a checked-out one. */
export async function showBranch(
  { repository: { root }, onTask }: Pick<RunContext, "repository" | "onTask">,
  { key, plan }: Pick<RunTask, "key"> & { readonly plan: Pick<RunTask["plan"], "id"> },
  commit: string,
): Promise<void> {
  const branch = branchOf(plan.id);
  const old = await readRef(root, `refs/heads/${branch}`);
  const say = (text: string) => onTask(key, { type: "said", text });
  // A branch that does not exist is not checked out.
  if (old !== undefined && (await checkoutOf(root, branch)) !== undefined)
    return say(
      `\`${branch}\` is checked out, so it was not moved; the work is commit ${commit.slice(0, 12)}`,
    );
  if (old !== undefined) await keepOnRef(root, replacedRef(plan.id, old), old);
  try {
    await changeRefs(root, [{ ref: `refs/heads/${branch}`, to: commit, from: old ?? null }]);
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
    say(`\`${branch}\` cannot be set: ${error.stderr.trim()}; the work is commit ${commit.slice(0, 12)}`);
  }
}
