import type { BytePath } from "./byte-path.ts";
import { simpleFork } from "./fork-point.ts";
import { GitFault } from "./git-fault.ts";
import { readParents } from "./refs.ts";
import { tryGit } from "./run-git.ts";
import { compareTrees, type Difference, readTop } from "./tree-entries.ts";
import { writeEntries } from "./tree-writer.ts";

export type Merged =
  | { readonly tree: string }
  /** The tree has conflict markers. */
  | { readonly tree: string; readonly conflicts: readonly string[] };

/** Merges two commits without a checkout. */
export async function mergeTrees(folder: string, ours: string, theirs: string): Promise<Merged> {
  // `theirs` is built on `ours`, so there is nothing to merge.
  if ((await readParents(folder, theirs)).includes(ours)) return { tree: (await readTop(folder, theirs)).id };
  const fork = await simpleFork(folder, ours, theirs);
  const apart = fork === undefined ? undefined : await mergeApart(folder, { fork, ours, theirs });
  if (apart !== undefined) return { tree: apart };
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { exit, stdout, stderr } = await tryGit(folder, words);
  if (exit !== 0 && exit !== 1) throw new GitFault(words, { exit, stderr });
  const [tree = "", ...files] = stdout.toString("utf8").split("\0").filter(Boolean);
  if (exit === 0) return { tree };
  return { tree, conflicts: [...new Set(files)] };
}

interface Sides {
  readonly fork: string;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * The merge of two sides that only added and edited files, none of them on both sides: it is `ours` with the files of
 * `theirs`, and no process has to be started. Undefined for every other merge. Nothing was removed, so git would find no
 * renamed file or folder either.
 */
async function mergeApart(folder: string, { fork, ours, theirs }: Sides): Promise<string | undefined> {
  const [mine, other] = await Promise.all([
    compareTrees(folder, fork, ours),
    compareTrees(folder, fork, theirs),
  ]);
  const files = new Map(
    other.flatMap(({ path, after }) => (after === undefined ? [] : [[path, after] as const])),
  );
  if (![...mine, ...other].every(isWritten) || meets(mine, other)) return undefined;
  return writeEntries(folder, ours, files);
}

function isWritten({ before, after }: Difference): boolean {
  return after !== undefined && after.mode !== submodule && before?.mode !== submodule;
}

const submodule = "160000";

/** Whether both sides changed a path, or one side has a file where the other has a folder. */
function meets(mine: readonly Difference[], other: readonly Difference[]): boolean {
  const [paths, folders] = [new Set<BytePath>(), new Set<BytePath>()];
  for (const { path } of mine) {
    paths.add(path);
    for (const above of foldersAbove(path)) folders.add(above);
  }
  return other.some(
    ({ path }) =>
      paths.has(path) || folders.has(path) || foldersAbove(path).some((above) => paths.has(above)),
  );
}

function foldersAbove(path: BytePath): readonly BytePath[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}
