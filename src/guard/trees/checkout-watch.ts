import { copyFileSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { refsOf } from "../../core/names/ref-names.ts";
import { type Checkout, ownIndex, repositoryFolder } from "../../workspace/checkouts/checkout.ts";
import { moveKeptRef } from "../../workspace/checkouts/collect-work.ts";
import { ownGit } from "../../workspace/checkouts/own-git.ts";
import { snapshotTree } from "../../workspace/checkouts/snapshot-tree.ts";
import { liesBehindLink } from "../../workspace/checkouts/walk-tree.ts";
import { commitTree } from "../../workspace/git/commit-writer.ts";
import { type ChangedPath, readDiff } from "../../workspace/git/read-diff.ts";
import { git } from "../../workspace/git/run-git.ts";
import { callFile, readCallFile, sweepCallFiles, writeCallFile } from "../world/call-file.ts";
import type { TreeWatch } from "../world/guard-world.ts";

/**
 * Watches an attempt's own checkout, in which no other agent works. Changes outside the lock are put back and kept on a
 * ref (INV-9). The recorded trees are next to the checkout, where its agent cannot write.
 */
export function checkoutWatch(checkout: Checkout): TreeWatch {
  const { commonFolder } = checkout;
  const folder = dirname(checkout.folder);
  const repository = repositoryFolder(commonFolder);
  const treeBefore = (name: string) => readCallFile<{ readonly tree: string }>(callFile(folder, name))?.tree;
  const changesSince = async (before: string, after: string) => readDiff(repository, before, after);
  return {
    async remember(name) {
      sweepCallFiles(folder, Date.now());
      writeCallFile(callFile(folder, name), { tree: await treeOf(checkout, callFile(folder, name)) });
    },
    async compare(name) {
      const before = treeBefore(name);
      if (before === undefined) return undefined;
      const changed = await changesSince(before, await treeOf(checkout, callFile(folder, name)));
      return { paths: changed.map(({ path }) => path), sinceMs: 0 };
    },
    async undo(name, paths) {
      const before = treeBefore(name);
      if (before === undefined) throw new Error("the recorded state of the checkout is missing");
      const tree = await treeOf(checkout, callFile(folder, name));
      const subject = `${checkout.task}: changes outside the lock in attempt ${checkout.attempt}`;
      const commit = await commitTree(repository, { tree, parents: [checkout.base], subject });
      const ref = `${refsOf(checkout).kept}/${commit.slice(0, 12)}`;
      await moveKeptRef(commonFolder, ref, commit);
      const strayed = new Set(paths);
      const changed = (await changesSince(before, tree)).filter(({ path }) => strayed.has(path));
      await putBack(checkout, { before, changed, index: `${callFile(folder, name)}.index` });
      return { ref, left: [] };
    },
    // The process that started the agent compares its checkout as a whole.
    pending: () => [],
    change: () => {},
    forget: (name) => rmSync(callFile(folder, name), { force: true }),
  };
}

/** Uses a separate index, because several calls of one agent may run at the same time. */
async function treeOf(checkout: Checkout, name: string): Promise<string> {
  const index = `${name}.index`;
  if (existsSync(ownIndex(checkout))) copyFileSync(ownIndex(checkout), index);
  try {
    return (await snapshotTree(checkout, { parent: checkout.base, index })).tree;
  } finally {
    rmSync(index, { force: true });
  }
}

interface Restoring {
  readonly before: string;
  readonly changed: readonly ChangedPath[];
  readonly index: string;
}

async function putBack(checkout: Checkout, { before, changed, index }: Restoring): Promise<void> {
  const { folder } = checkout;
  // A name that is not UTF-8, or a path that is now behind a link, is left to the final comparison.
  const own = changed.filter(({ path, utf8 }) => utf8 && !liesBehindLink(folder, path));
  for (const { path, status } of own)
    if (status === "added") rmSync(join(folder, path), { force: true, recursive: true });
  const input = own.flatMap(({ path, status }) => (status === "added" ? [] : [`${path}\0`])).join("");
  const { env } = await ownGit(checkout, { index });
  try {
    await git(folder, ["read-tree", before], { env });
    await git(folder, ["checkout-index", "--force", "-z", "--stdin"], { env, input });
  } finally {
    rmSync(index, { force: true });
  }
}
