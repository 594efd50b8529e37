import { GitFault } from "./git-fault.ts";
import { readParents } from "./refs.ts";
import { tryGit } from "./run-git.ts";
import { readTop } from "./tree-entries.ts";

export type Merged =
  | { readonly tree: string }
  /** The tree has conflict markers. */
  | { readonly tree: string; readonly conflicts: readonly string[] };

/** Merges two commits without a checkout. */
export async function mergeTrees(folder: string, ours: string, theirs: string): Promise<Merged> {
  // `theirs` is built on `ours`, so there is nothing to merge.
  if ((await readParents(folder, theirs)).includes(ours)) return { tree: (await readTop(folder, theirs)).id };
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { exit, stdout, stderr } = await tryGit(folder, words);
  if (exit !== 0 && exit !== 1) throw new GitFault(words, { exit, stderr });
  const [tree = "", ...files] = stdout.toString("utf8").split("\0").filter(Boolean);
  if (exit === 0) return { tree };
  return { tree, conflicts: [...new Set(files)] };
}
