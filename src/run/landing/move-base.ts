import { putBackRef } from "../../core/names/ref-names.ts";
import type { BaseMove } from "../../engine/change/base-moves.ts";
import { findInTheWay, readMovedPaths } from "../../workspace/git/paths-in-the-way.ts";
import { checkoutOf, isBeingRebased, moveRef, readRef } from "../../workspace/git/refs.ts";
import { git, tryGit } from "../../workspace/git/run-git.ts";
import { undoHalfMove } from "../../workspace/git/undo-half-move.ts";

/** Why the base does not move: `moved` is proven anew, anything else is a person's to settle. */
export type NotMoved = "moved" | { readonly why: string };

/** What a person has where the move would write; asked before anything is written down or moved. */
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
 * Moves the base branch by compare and swap. Where it is checked out git itself moves it, forwards only, so that
 * a person's uncommitted work stays.
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
  // Git writes files first and the ref last: where that fails, the files are put back.
  await undoHalfMove(checkout, { from, to, keepAs: putBackRef(batch) });
  return { why: stderr.trim().replace(/\s+/g, " ").slice(0, 400) || "git refused it" };
}

/** Somebody switched branches a moment before: another branch was moved, and is put back where it was. */
async function takeBack(checkout: string): Promise<NotMoved> {
  await git(checkout, ["reset", "--quiet", "--keep", "ORIG_HEAD"]);
  return { why: `another branch was checked out in ${checkout} meanwhile` };
}
