import type { BaseMove } from "../engine/base-moves.ts";
import { checkoutOf, moveRef, readRef } from "../workspace/git/refs.ts";
import { tryGit } from "../workspace/git/run-git.ts";

/**
 * Moves the base branch by compare and swap. Where it is checked out git itself moves it, forwards only, so that
 * a person's uncommitted work stays; what git says against it comes back.
 */
export async function moveBase(
  root: string,
  { kind, base, from, to, batch }: Pick<BaseMove, "kind" | "base" | "from" | "to" | "batch">,
): Promise<string | undefined> {
  const checkout = await checkoutOf(root, base);
  if (checkout === undefined) {
    const moved = await moveRef(root, `refs/heads/${base}`, { from, to, why: `${kind} ${batch}` });
    return moved ? undefined : "it moved meanwhile";
  }
  if ((await readRef(checkout, "HEAD")) !== from) return "it moved meanwhile";
  const { exit, stderr } = await tryGit(checkout, ["merge", "--ff-only", "--quiet", to]);
  if (exit === 0) return undefined;
  if ((await readRef(checkout, "HEAD")) !== from) return "it moved meanwhile";
  const told = stderr
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "");
  return told.join(" ").replace(/\s+/g, " ").slice(0, 400) || "git refused it";
}
