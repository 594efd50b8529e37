import { existsSync } from "node:fs";
import { branchOfKept, holdsIgnored, refsOf } from "../../core/names/ref-names.ts";
import { shellWord } from "../../core/text/quoted.ts";
import { commitTree } from "../git/commit-writer.ts";
import { type KeptRef, nothing, readTaskRefs, type TaskKept } from "./attempt-refs.ts";
import { type Checkout, refuseOtherGit, refuseReplaced, repositoryFolder } from "./checkout.ts";
import { moveKeptRef } from "./collect-work.ts";
import { keepCommits } from "./keep-commits.ts";
import { keepIgnored } from "./keep-ignored.ts";
import { excludedByDefault, findUnchanged, snapshotTree, type Unchanged } from "./snapshot-tree.ts";

export interface Kept {
  readonly ref: string;
  readonly holds: string;
  /** The shell command that restores it, to run in the repository. */
  readonly command: string;
}

/** Copies everything that an agent made in the checkout into the repository. Returns all that it keeps for the task. */
export async function keepEverything(
  checkout: Checkout,
  options: KeepOptions = {},
): Promise<readonly Kept[]> {
  const [before = nothing] = await readTaskRefs(checkout.commonFolder, [checkout]);
  return (await keepAll(checkout, before, options)).kept;
}

export interface KeepOptions {
  readonly exclude?: readonly string[];
}

interface KeepAsked {
  /** What the repository already keeps for the task. */
  readonly made: readonly KeptRef[];
  readonly exclude: readonly string[];
  readonly unchanged: Unchanged | undefined;
}

/** The same, plus the base refs of the task's attempts. `before` is what the repository already keeps for the task. */
export async function keepAll(
  checkout: Checkout,
  before: TaskKept,
  { exclude = excludedByDefault }: KeepOptions = {},
) {
  const { commonFolder, folder } = checkout;
  refuseReplaced(folder);
  refuseOtherGit(folder);
  let isNew = false;
  if (existsSync(folder)) {
    const unchanged = await findUnchanged(checkout, { parent: checkout.base, exclude });
    const asked = { made: before.made, exclude, unchanged };
    for (const keep of [keepWorkingTree, keepCommits, keepIgnored])
      isNew = (await keep(checkout, asked)) || isNew;
  }
  const [now = before] = isNew ? await readTaskRefs(commonFolder, [checkout]) : [];
  const { bases, made } = now;
  return { bases, kept: made.map(describeKept) };
}

/**
 * Keeps the working tree. It is not put on the work's own ref, because an emptied checkout must not replace the work.
 * Returns true if no ref had this tree yet.
 */
async function keepWorkingTree(checkout: Checkout, { made, exclude, unchanged }: KeepAsked) {
  const { commonFolder, task, attempt, base } = checkout;
  const isKept = (tree: string) => made.some((ref) => ref.tree === tree);
  if (unchanged !== undefined && isKept(unchanged.tree)) return false;
  const { tree, changed } = await snapshotTree(checkout, { parent: base, exclude });
  if (changed.length === 0 || isKept(tree)) return false;
  const subject = `${task}: working tree of attempt ${attempt}`;
  const commit = await commitTree(repositoryFolder(commonFolder), { tree, parents: [base], subject });
  await moveKeptRef(commonFolder, `${refsOf(checkout).kept}/${commit.slice(0, 12)}`, commit);
  return true;
}

function describeKept({ ref, subject }: KeptRef): Kept {
  // Without `--overlay` git would delete every tracked file that the commit lacks.
  const command = holdsIgnored(ref)
    ? `git restore --overlay --source=${ref} -- .`
    : `git checkout -b ${shellWord(branchOfKept(ref))} ${ref}`;
  return { ref, holds: subject.replace(/\p{Cc}+/gu, " "), command };
}
