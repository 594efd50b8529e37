import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { refsOf } from "../../core/names/ref-names.ts";
import { commitTree } from "../git/commit-writer.ts";
import { mergeTrees } from "../git/merge-commits.ts";
import { readTrees } from "../git/read-tree.ts";
import { isAncestor, keepOnRef } from "../git/refs.ts";
import { git } from "../git/run-git.ts";
import { type Checkout, repositoryFolder, writeRecord } from "./checkout.ts";
import { moveKeptRef } from "./collect-work.ts";
import { ownGit } from "./own-git.ts";

export interface Bringing {
  /** The commit with the current work of the checkout. */
  readonly work: string;
  readonly onto: string;
  readonly subject: string;
  readonly trailers?: Readonly<Record<string, string>>;
  /** Git in the checkout with the agent's own git folder: in the sandbox, or without its configuration. */
  gitInside(words: readonly string[]): Promise<{ readonly exit: number | null }>;
}

export type Brought = { readonly checkout: Checkout } & (
  | { readonly how: "up-to-date" | "rebased"; readonly commit: string }
  | { readonly how: "conflicts"; readonly files: readonly string[] }
);

/**
 * Rebases an attempt's work onto a newer base, in the repository and in its checkout. The merge runs in the repository,
 * where agents cannot configure git. Conflicts are left in the checkout with markers, for the agent to resolve.
 */
export async function bringBase(checkout: Checkout, bringing: Bringing): Promise<Brought> {
  const { work, onto, subject, trailers = {} } = bringing;
  const root = repositoryFolder(checkout.commonFolder);
  const left = await marksLeft(checkout, work);
  if (left.length > 0) return { how: "conflicts", checkout, files: left };
  if (await isAncestor(root, onto, checkout.base)) return { how: "up-to-date", checkout, commit: work };
  const merged = await mergeTrees(root, onto, work);
  if ("conflicts" in merged) {
    const { conflicts: files } = merged;
    writeFileSync(marksFile(checkout), JSON.stringify({ labels: [onto, work], files }), { mode: 0o600 });
    return { how: "conflicts", checkout: await show(checkout, merged.tree, bringing), files };
  }
  const commit = await commitTree(root, { tree: merged.tree, parents: [onto], subject, trailers });
  await moveKeptRef(checkout.commonFolder, refsOf(checkout).work, commit);
  return { how: "rebased", checkout: await show(checkout, merged.tree, bringing), commit };
}

/** Sets the commit that the checkout is compared with. */
async function moveBase(checkout: Checkout, base: string): Promise<Checkout> {
  const moved = { ...checkout, base };
  await keepOnRef(repositoryFolder(checkout.commonFolder), refsOf(checkout).base, base);
  writeRecord(moved);
  return moved;
}

/**
 * Writes a tree to the checkout. Nothing is lost, because the work is on its ref. The base is moved last: after a crash
 * before that, the same rebase runs again and finds its changes already there.
 */
async function show(checkout: Checkout, tree: string, { onto, gitInside }: Bringing): Promise<Checkout> {
  await git(checkout.folder, ["read-tree", "--reset", "-u", tree], await ownGit(checkout));
  // So that the agent's git shows its own changes and not those of the base. Fails if the agent broke its git folder.
  await gitInside(["reset", "--quiet", "--mixed", onto]);
  return moveBase(checkout, onto);
}

function marksFile({ folder }: Checkout): string {
  return join(dirname(folder), "conflict.json");
}

/** The files of the last conflict that still contain its markers, which name the two commits. */
async function marksLeft(checkout: Checkout, work: string): Promise<readonly string[]> {
  const file = marksFile(checkout);
  if (!existsSync(file)) return [];
  const { labels, files } = JSON.parse(readFileSync(file, "utf8")) as Record<"labels" | "files", string[]>;
  const [tree] = await readTrees(repositoryFolder(checkout.commonFolder), [work]);
  tree?.load(files);
  const mark = new RegExp(`^(?:<{7,}|>{7,}) (?:${labels.join("|")})\\b`, "m");
  const left = files.filter((path) => mark.test(tree?.text(path) ?? ""));
  if (left.length === 0) rmSync(file);
  return left;
}
