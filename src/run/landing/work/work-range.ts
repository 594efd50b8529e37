import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { branchOf, refsOf } from "../../../core/names/ref-names.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { type Checkout, ownIndex } from "../../../workspace/checkouts/checkout.ts";
import { findCheckout } from "../../../workspace/checkouts/find-checkout.ts";
import { snapshotTree } from "../../../workspace/checkouts/snapshot-tree.ts";
import { readRef } from "../../../workspace/git/refs.ts";

/** The words of `git diff` that show a task's work: the merged work, else what was handed in, else the current content of the checkout. */
export async function workRange(
  { id, session, attempts, state, commit }: Task,
  { root, commonFolder }: { readonly root: string; readonly commonFolder: string | undefined },
): Promise<readonly string[]> {
  if (commit !== null) return [`${commit}^1...${commit}`];
  const name = { session, task: id, attempt: attempts };
  const handedIn = state === "IN_PROGRESS" ? undefined : await readRef(root, refsOf(name).work);
  // The work is one commit on the base of its checkout. This checkout may not have that base yet.
  if (handedIn !== undefined) return [`${handedIn}^1`, handedIn];
  const checkout = commonFolder === undefined ? undefined : findCheckout(commonFolder, name);
  return checkout === undefined ? [`HEAD...${branchOf(id)}`] : [checkout.base, await lookAt(checkout)];
}

/** The current tree of the checkout, read with a separate index so that the agent's index is not touched. */
async function lookAt(checkout: Checkout): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-diff-"));
  try {
    const index = join(folder, "index");
    if (existsSync(ownIndex(checkout))) copyFileSync(ownIndex(checkout), index);
    return (await snapshotTree(checkout, { parent: checkout.base, index })).tree;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
