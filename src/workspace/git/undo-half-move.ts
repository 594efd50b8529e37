import { readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { findEntry, readMovedPaths } from "./paths-in-the-way.ts";
import { readName, splitAtZero } from "./read-diff.ts";
import { git, gitBytes, tryGit } from "./run-git.ts";
import { snapshotScope } from "./snapshot-scope.ts";

/**
 * Git that was stopped in the middle of a fast-forward leaves files and index entries of the new commit under the
 * old one. None of these paths held anything of a person's when it began, so they are put back; what differs from
 * both commits was written since, and stays. What is put back is kept on a ref first (INV-9).
 */
export async function undoHalfMove(
  checkout: string,
  { from, to, keepAs }: { readonly from: string; readonly to: string; readonly keepAs: string },
): Promise<readonly string[]> {
  const { changed, added } = await readMovedPaths(checkout, from, to);
  const staged = await differing(checkout, ["--cached", from]);
  const unlikeOld = await differing(checkout, [from]);
  const unlikeNew = await differing(checkout, [to]);
  const news = added.filter((path) => staged.has(path) || findEntry(checkout, path) !== undefined);
  const olds: string[] = [];
  for (const path of changed.filter((one) => staged.has(one) || unlikeOld.has(one)))
    if (!unlikeNew.has(path) || (await isHalf(checkout, to, path))) olds.push(path);
  const paths = new Set([...news, ...olds]);
  if (paths.size === 0) return [];
  await snapshotScope(checkout, (path) => paths.has(path), keepAs);
  await removeNew(checkout, news);
  await restoreOld(checkout, from, olds);
  const files = `${paths.size} file${paths.size === 1 ? "" : "s"}`;
  return [`put back ${files} that git had begun to change; what they held is on ${keepAs}`];
}

/** As git compares: links, modes and ends of lines count as what they mean. */
async function differing(checkout: string, words: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", ...words];
  return new Set(splitAtZero(await gitBytes(checkout, asked)).map((name) => readName(name).path));
}

/** Git removes a file, then makes it anew, then fills it. */
async function isHalf(checkout: string, to: string, path: string): Promise<boolean> {
  const found = findEntry(checkout, path);
  if (found === undefined) return true;
  if (!found.isFile()) return false;
  const { exit, stdout } = await tryGit(checkout, ["cat-file", "--filters", `${to}:${path}`]);
  const now = readFileSync(join(checkout, path));
  return exit === 0 && now.length < stdout.length && stdout.subarray(0, now.length).equals(now);
}

async function removeNew(checkout: string, paths: readonly string[]): Promise<void> {
  const input = paths.map((path) => `${path}\0`).join("");
  await git(checkout, ["update-index", "-z", "--force-remove", "--stdin"], { input });
  for (const path of paths) {
    rmSync(join(checkout, path), { force: true });
    for (
      let above = dirname(path);
      above !== "." && isEmpty(join(checkout, above));
      above = dirname(above)
    ) {}
  }
}

/** Removes the folder if nothing is in it; an old file may have to come back in its place. */
function isEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTEMPTY" || code === "ENOENT" || code === "EEXIST") return false;
    throw error;
  }
}

async function restoreOld(checkout: string, from: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const words = ["restore", `--source=${from}`, "--staged", "--worktree", "--pathspec-file-nul"];
  const input = paths.map((path) => `:(top,literal)${path}\0`).join("");
  await git(checkout, [...words, "--pathspec-from-file=-"], { input });
}
