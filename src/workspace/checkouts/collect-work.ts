import { refsOf } from "../../core/names/ref-names.ts";
import { commitTree } from "../git/commit-writer.ts";
import type { ChangedPath } from "../git/read-diff.ts";
import { changeRefs } from "../git/ref-writer.ts";
import { readRef } from "../git/refs.ts";
import { type Checkout, repositoryFolder } from "./checkout.ts";
import { snapshotTree } from "./snapshot-tree.ts";

export interface CollectOptions {
  /** The parent of the commit; the checkout's base by default. */
  readonly parent?: string;
  /** Paths that are not part of the work; `.agents-work` by default. */
  readonly exclude?: readonly string[];
  readonly subject?: string;
  readonly trailers?: Readonly<Record<string, string>>;
}

export interface Collected {
  readonly commit: string;
  readonly ref: string;
  readonly changed: readonly ChangedPath[];
  /** Nested repositories in the checkout. Their files are in the commit. */
  readonly nested: readonly string[];
}

/** Commits an agent's working tree to the repository, on the attempt's ref. */
export async function collectWork(
  checkout: Checkout,
  options: CollectOptions = {},
): Promise<Collected | "unchanged"> {
  const { commonFolder, task, attempt, base } = checkout;
  const { parent = base, subject = `${task}: work of attempt ${attempt}`, trailers = {} } = options;
  const { tree, changed, nested } = await snapshotTree(checkout, { ...options, parent });
  if (changed.length === 0 && nested.length === 0) return "unchanged";
  const written = { tree, parents: [parent], subject, trailers };
  const commit = await commitTree(repositoryFolder(commonFolder), written);
  const { work: ref } = refsOf(checkout);
  await moveKeptRef(commonFolder, ref, commit);
  return { commit, ref, changed, nested };
}

/** Moves a ref. Its log keeps the previous value. */
export async function moveKeptRef(commonFolder: string, ref: string, commit: string): Promise<void> {
  const folder = repositoryFolder(commonFolder);
  const logged = (await readRef(folder, ref)) !== undefined;
  await changeRefs(folder, [{ ref, to: commit }], { logged });
}
