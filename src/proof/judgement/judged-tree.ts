import type { Restored } from "../../core/proof/material/material-diff.ts";
import { commitTree } from "../../workspace/git/commit-writer.ts";
import { editTree, type TreeEdit } from "../../workspace/git/edit-tree.ts";
import type { Difference } from "../../workspace/git/tree-entries.ts";

/**
 * Commits the change with the base's test material, on no branch: edited and deleted test files are as on the base, added
 * ones are absent.
 */
export async function judgedCommit(
  root: string,
  {
    base,
    tree,
    differences,
    restored,
  }: {
    readonly base: string;
    readonly tree: string;
    readonly differences: readonly Difference[];
    readonly restored: ReadonlyMap<string, Restored>;
  },
): Promise<string> {
  const edits = new Map<string, TreeEdit>();
  for (const [path, how] of restored) {
    const bytes = Buffer.from(path, "utf8").toString("latin1");
    const before = differences.find((one) => one.path === bytes)?.before;
    edits.set(path, how === "absent" ? null : how === "base" ? (before ?? null) : how);
  }
  const judged = await editTree(root, tree, edits);
  return commitTree(root, { tree: judged, parents: [base], subject: "Judge with the base's tests" });
}
