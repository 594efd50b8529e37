import { branchOf, replacedRef } from "../../core/names/ref-names.ts";
import { GitFault } from "../../workspace/git/git-fault.ts";
import { changeRefs } from "../../workspace/git/ref-writer.ts";
import { checkoutOf, keepOnRef, readRef } from "../../workspace/git/refs.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";

/** For people to look at. What somebody else has there is kept, and what is checked out is not moved. */
export async function showBranch(
  { repository: { root }, onTask }: Pick<RunContext, "repository" | "onTask">,
  { key, plan }: Pick<RunTask, "key"> & { readonly plan: Pick<RunTask["plan"], "id"> },
  commit: string,
): Promise<void> {
  const branch = branchOf(plan.id);
  const old = await readRef(root, `refs/heads/${branch}`);
  const told = (text: string) => onTask(key, { type: "said", text });
  // What does not exist is checked out nowhere.
  if (old !== undefined && (await checkoutOf(root, branch)) !== undefined)
    return told(`\`${branch}\` is checked out and stays; the work is ${commit.slice(0, 12)}`);
  if (old !== undefined) await keepOnRef(root, replacedRef(plan.id, old), old);
  try {
    await changeRefs(root, [{ ref: `refs/heads/${branch}`, to: commit, from: old ?? null }]);
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
    told(`\`${branch}\` cannot be set: ${error.stderr.trim()}; the work is ${commit.slice(0, 12)}`);
  }
}
