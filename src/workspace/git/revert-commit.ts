import { commitTree } from "./commit-writer.ts";
import { type Merged, mergeTrees } from "./merge-commits.ts";
import { git } from "./run-git.ts";

/**
 * The tree of `tip` without what a commit brought to the branch it was merged into. A commit that undoes it right
 * after itself is merged: its fork from the tip is then the commit that is taken back.
 */
export async function revertCommit(root: string, tip: string, commit: string): Promise<Merged> {
  const before = await git(root, ["rev-parse", "--verify", `${commit}^1^{tree}`]);
  const undone = await commitTree(root, { tree: before, parents: [commit], subject: "Undone" });
  return mergeTrees(root, tip, undone);
}
