import { readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { findEntry, readMovedPaths } from "./paths-in-the-way.ts";
import { readName, splitAtZero } from "./read-diff.ts";
import { git, gitBytes, tryGit } from "./run-git.ts";
import { snapshotPaths } from "./snapshot-scope.ts";

/**
 * A git that was stopped during a fast-forward leaves files and index entries of the new commit in a checkout of the old
 * one. These paths had no changes of the user when it began, so they are restored. Content of neither commit was written
 * later, and stays. Everything that is replaced is kept on a ref first (INV-9).
 */
export async function undoHalfMove(
  checkout: string,
  { from, to, keepAs }: { readonly from: string; readonly to: string; readonly keepAs: string },
): Promise<readonly string[]> {
  const { changed, added } = await readMovedPaths(checkout, from, to);
  const staged = await differing(checkout, ["--cached", from]);
  const unlikeOld = await differing(checkout, [from]);
  const unlikeNew = await differing(checkout, [to]);
  const written = changed.filter((path) => (staged.has(path) || unlikeOld.has(path)) && !unlikeNew.has(path));
  const news = await whole(
    checkout,
    to,
    added.filter((path) => !staged.has(path)),
  );
  const stagedNews = added.filter((path) => staged.has(path) && !unlikeNew.has(path));
  // If no path is complete, git had not begun, and all differences are the user's.
  if (written.length + news.length + stagedNews.length === 0) return [];
  const halves: string[] = [];
  for (const path of [...changed.filter((one) => unlikeOld.has(one) && unlikeNew.has(one)), ...added])
    if (!news.includes(path) && !stagedNews.includes(path) && (await isHalf(checkout, to, path)))
      halves.push(path);
  const paths = [...new Set([...written, ...news, ...stagedNews, ...halves])];
  const isNew = new Set(added);
  await snapshotPaths(checkout, paths, keepAs);
  await removeNew(
    checkout,
    paths.filter((path) => isNew.has(path)),
  );
  await restoreOld(
    checkout,
    from,
    paths.filter((path) => !isNew.has(path)),
  );
  const files = `${paths.length} file${paths.length === 1 ? "" : "s"}`;
  return [`restored ${files} that an interrupted git had changed; the changed content is on ${keepAs}`];
}

/** The added files that are complete. They are compared here, because git does not compare untracked files. */
async function whole(checkout: string, to: string, added: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of added) {
    const at = findEntry(checkout, path);
    if (at === undefined || at.isDirectory()) continue;
    const now = at.isSymbolicLink()
      ? Buffer.from(readlinkSync(join(checkout, path)))
      : readFileSync(join(checkout, path));
    if (now.equals(await contentOf(checkout, to, path))) found.push(path);
  }
  return found;
}

/** The file as git would write it in this checkout, for example with its line endings. */
async function contentOf(checkout: string, commit: string, path: string): Promise<Buffer> {
  return (await tryGit(checkout, ["cat-file", "--filters", `${commit}:${path}`])).stdout;
}

/** The paths that differ according to git, which knows links, modes and line endings. */
async function differing(checkout: string, words: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", ...words];
  return new Set(splitAtZero(await gitBytes(checkout, asked)).map((name) => readName(name).path));
}

/** True if git was stopped while it wrote the file: git removes a file, creates it again, then fills it. */
async function isHalf(checkout: string, to: string, path: string): Promise<boolean> {
  const found = findEntry(checkout, path);
  if (found === undefined) return true;
  if (!found.isFile()) return false;
  const wanted = await contentOf(checkout, to, path);
  const now = readFileSync(join(checkout, path));
  return now.length < wanted.length && wanted.subarray(0, now.length).equals(now);
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

/** Removes the folder if it is empty: an old file may have to be restored at its path. */
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
