import { putBackRef } from "../../../core/names/ref-names.ts";
import type { BaseMove } from "../../../engine/change/base-moves.ts";
import { findInTheWay, readMovedPaths } from "../../../workspace/git/paths-in-the-way.ts";
import { checkoutOf, isBeingRebased, moveRef, readRef } from "../../../workspace/git/refs.ts";
import type { RemoteTrouble } from "../../../workspace/git/remote.ts";
import { git, tryGit } from "../../../workspace/git/run-git.ts";
import { undoHalfMove } from "../../../workspace/git/undo-half-move.ts";

/**
 * Why the base did not move. After `moved` the chain is proven again; any other reason needs a person, or a remote that
 * works again. If the remote `fails`, it did not say whether the base has moved.
 */
export type NotMoved = "moved" | { readonly why: string; readonly trouble?: RemoteTrouble };

/** Uncommitted work, or a rebase, that the move would disturb. Called before anything is recorded or moved. */
export async function whyInTheWay(
  root: string,
  { base, from, to }: Pick<BaseMove, "base" | "from" | "to">,
): Promise<string | undefined> {
  const checkout = await checkoutOf(root, base);
  if (checkout === undefined)
    return (await isBeingRebased(root, base)) ? `\`${base}\` is being rebased: finish that first` : undefined;
  const found = await findInTheWay(checkout, await readMovedPaths(checkout, from, to));
  const [first, ...more] = found;
  if (first === undefined) return undefined;
  const rest = more.length > 0 ? ` and ${more.length} more` : "";
  return `you have uncommitted work at \`${first}\`${rest} in ${checkout}: commit, stash or move it`;
}

/**
 * Moves the base branch by compare and swap. If the branch is checked out, `git merge --ff-only` moves it, which keeps
 * uncommitted work.
 */
export async function moveBase(
  root: string,
  { kind, base, from, to, batch }: Pick<BaseMove, "kind" | "base" | "from" | "to" | "batch">,
): Promise<NotMoved | undefined> {
  const ref = `refs/heads/${base}`;
  const checkout = await checkoutOf(root, base);
  if (checkout === undefined)
    return (await moveRef(root, ref, { from, to, why: `${kind} ${batch}` })) ? undefined : "moved";
  if ((await readRef(checkout, "HEAD")) !== from) return "moved";
  const { exit, stderr } = await tryGit(checkout, [
    ...["merge", "--ff-only", "--quiet", "--no-overwrite-ignore"],
    to,
  ]);
  if ((await readRef(root, ref)) === to) return undefined;
  if (exit === 0) return takeBack(checkout);
  if ((await readRef(root, ref)) !== from) return "moved";
  // Git writes the files first and the ref last. If it fails in between, the files are restored.
  await undoHalfMove(checkout, { from, to, keepAs: putBackRef(batch) });
  return { why: stderr.trim().replace(/\s+/g, " ").slice(0, 400) || "git refused it" };
}

/** A person switched branches just before the move, so another branch was moved: resets that branch. */
async function takeBack(checkout: string): Promise<NotMoved> {
  await git(checkout, ["reset", "--quiet", "--keep", "ORIG_HEAD"]);
  return { why: `another branch was checked out in ${checkout} in the meantime` };
}
