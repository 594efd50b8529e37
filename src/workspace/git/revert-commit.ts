import { commitTree } from "./commit-writer.ts";
import { type Merged, mergeTrees } from "./merge-commits.ts";
import { git } from "./run-git.ts";

/**
 * The tree of `tip` without the changes of a commit. It merges a temporary commit that follows the commit and has the
 * tree from before it: the merge base is then the reverted commit.
 */
export async function revertCommit(root: string, tip: string, commit: string): Promise<Merged> {
  const before = await git(root, ["rev-parse", "--verify", `${commit}^1^{tree}`]);
  const undone = await commitTree(root, { tree: before, parents: [commit], subject: "Undone" });
  return mergeTrees(root, tip, undone);
}
