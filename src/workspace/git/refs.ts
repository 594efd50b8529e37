import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { readObject } from "./object-reader.ts";
import { splitAtZero } from "./read-diff.ts";
import { RecentValues } from "./recent-values.ts";
import { changeRefs } from "./ref-writer.ts";
import { git, gitBytes, tryGit } from "./run-git.ts";

const zero = "0".repeat(40);

export async function readRef(folder: string, ref: string): Promise<string | undefined> {
  return (await readObject(folder, `${ref}^{commit}`))?.id;
}

export async function readParents(folder: string, commit: string): Promise<readonly string[]> {
  const found = await readObject(folder, `${commit}^{commit}`);
  const [header = ""] = found?.bytes.toString("latin1").split("\n\n") ?? [];
  return [...header.matchAll(/^parent (\w+)$/gm)].map(([, id = ""]) => id);
}

/** As `readParents`, for the full id of a commit. They never change, so they are read once. */
export async function parentsOf(folder: string, id: string): Promise<readonly string[]> {
  const known = parents.get(id);
  if (known !== undefined) return known;
  const read = await readParents(folder, id);
  // A commit without parents may also be one that is not there yet.
  if (read.length > 0) parents.keep(id, read);
  return read;
}

const parents = new RecentValues<readonly string[]>(10_000, () => 1);

/** Moves a ref if it still has its old value; `undefined` means that the ref must not exist. */
export async function moveRef(
  folder: string,
  ref: string,
  { from, to, why }: { readonly from: string | undefined; readonly to: string; readonly why: string },
): Promise<boolean> {
  const { exit } = await tryGit(folder, ["update-ref", "-m", `lockstep: ${why}`, ref, to, from ?? zero]);
  return exit === 0;
}

/** Keeps a commit from being pruned. */
export async function keepOnRef(folder: string, ref: string, commit: string): Promise<void> {
  await changeRefs(folder, [{ ref, to: commit }]);
}

export async function isAncestor(folder: string, older: string, newer: string): Promise<boolean> {
  return (await tryGit(folder, ["merge-base", "--is-ancestor", older, newer])).exit === 0;
}

/** The checkout that a branch is checked out in, if any. */
export async function checkoutOf(folder: string, branch: string): Promise<string | undefined> {
  if (isCheckedOutIn(folder, branch)) return folder;
  const fields = splitAtZero(await gitBytes(folder, ["worktree", "list", "--porcelain", "-z"]));
  let path: string | undefined;
  for (const field of fields.map(String)) {
    if (field.startsWith("worktree ")) path = field.slice("worktree ".length);
    if (field === `branch refs/heads/${branch}`) return path;
  }
  return undefined;
}

/** Whether this is the repository's main checkout, with the branch checked out. False if only git can tell. */
function isCheckedOutIn(folder: string, branch: string): boolean {
  const [head, config] = ["HEAD", "config"].map((name) => join(folder, ".git", name));
  if (head === undefined || config === undefined || ![head, config].every((file) => existsSync(file)))
    return false;
  // A bare repository has no checkout, and `core.worktree` names another folder.
  const isPlain = !/^\s*(?:bare(?! = false$)|worktree)/im.test(readFileSync(config, "utf8"));
  return (
    isPlain &&
    realpathSync.native(folder) === folder &&
    readFileSync(head, "utf8") === `ref: refs/heads/${branch}\n`
  );
}

/** True during a rebase of the branch. It is then not checked out anywhere, but still in use. */
export async function isBeingRebased(folder: string, branch: string): Promise<boolean> {
  const common = resolve(folder, await git(folder, ["rev-parse", "--git-common-dir"]));
  const linked = join(common, "worktrees");
  const names = existsSync(linked) ? readdirSync(linked) : [];
  const folders = [common, ...names.map((name) => join(linked, name))];
  return folders
    .flatMap((one) => [join(one, "rebase-merge", "head-name"), join(one, "rebase-apply", "head-name")])
    .some((file) => existsSync(file) && readFileSync(file, "utf8").trim() === `refs/heads/${branch}`);
}
