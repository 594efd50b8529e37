import { notesRef, trackedNotesRef } from "../../../core/names/ref-names.ts";
import type { BaseMove, RemoteMove } from "../../../engine/change/base-moves.ts";
import { GitFault } from "../../../workspace/git/git-fault.ts";
import { changeRefs } from "../../../workspace/git/ref-writer.ts";
import { isAncestor, readRef } from "../../../workspace/git/refs.ts";
import { git } from "../../../workspace/git/run-git.ts";
import { moveBase, whyInTheWay } from "./move-base.ts";

type PushedMove = BaseMove & { readonly remote: RemoteMove };

/**
 * Moves the branch and the notes of this repository to what was pushed, where that loses nothing. Returns why a branch was
 * not moved. The move is complete without this, so a failure is only reported.
 */
export async function followBase(root: string, move: PushedMove): Promise<string | undefined> {
  try {
    await followNotes(root, move.remote);
    return await followBranch(root, move);
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
    return `\`${move.base}\` moved at \`${move.remote.name}\`, but not here: ${error.message}`;
  }
}

async function followBranch(root: string, { base, to, remote, ...move }: PushedMove) {
  const here = await readRef(root, `refs/heads/${base}`);
  if (here === undefined || here === to || (await isAncestor(root, to, here))) return undefined;
  const moved = `\`${base}\` moved at \`${remote.name}\`, but not here`;
  if (!(await isAncestor(root, here, to)))
    return `${moved}: it has commits that \`${remote.name}\` lacks; \`git rebase ${remote.name}/${base}\` puts them on top`;
  const step = { ...move, base, from: here, to };
  const inTheWay = await whyInTheWay(root, step);
  if (inTheWay !== undefined)
    return `${moved}: ${inTheWay}, then \`git merge --ff-only ${remote.name}/${base}\``;
  const stopped = await moveBase(root, step);
  if (stopped === undefined) return undefined;
  return `${moved}: ${stopped === "moved" ? "it has changed in the meantime" : stopped.why}`;
}

/** Notes that only this machine has, from earlier work, are kept. */
async function followNotes(root: string, { name, notesTo }: RemoteMove): Promise<void> {
  const here = await readRef(root, notesRef);
  if (here === notesTo) return;
  if (here === undefined || (await isAncestor(root, here, notesTo)))
    return changeRefs(root, [{ ref: notesRef, to: notesTo, from: here ?? null }]);
  if (await isAncestor(root, notesTo, here)) return;
  await git(root, ["notes", `--ref=${notesRef}`, "merge", "--quiet", "-s", "ours", trackedNotesRef(name)]);
}
