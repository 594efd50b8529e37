import { lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { readDiff, readName, splitAtZero } from "./read-diff.ts";
import { gitBytes } from "./run-git.ts";

/** The paths that differ between two commits. `added` are those that the first one lacks. */
export interface MovedPaths {
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

export async function readMovedPaths(folder: string, from: string, to: string): Promise<MovedPaths> {
  const [changed, added]: [string[], string[]] = [[], []];
  for (const { path, status } of await readDiff(folder, from, to))
    (status === "added" ? added : changed).push(path);
  return { changed, added };
}

/**
 * The user's own changes at the paths that a move of the branch would write: edited, staged or deleted files, and
 * untracked files or folders. Ignored ones count too, because git would overwrite them without a warning.
 */
export async function findInTheWay(
  checkout: string,
  { changed, added }: MovedPaths,
): Promise<readonly string[]> {
  const words = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "HEAD"];
  const dirty = splitAtZero(await gitBytes(checkout, words)).map((name) => readName(name).path);
  const moved = new Set([...changed, ...added]);
  const gone = new Set(changed);
  const found = dirty.filter((path) => moved.has(path));
  for (const path of added) {
    const at = findEntry(checkout, path);
    // If a folder of the old commit becomes a file, git removes the folder with its files.
    if (at !== undefined && !(at.isDirectory() && holdsOnly(checkout, path, gone))) found.push(path);
    const above = fileAbove(checkout, path);
    if (above !== undefined && !gone.has(above)) found.push(above);
  }
  return [...new Set(found)];
}

function holdsOnly(checkout: string, folder: string, gone: ReadonlySet<string>): boolean {
  return readdirSync(join(checkout, folder), { withFileTypes: true }).every((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? holdsOnly(checkout, path, gone) : gone.has(path);
  });
}

/** The file or link on the way to a path where the new commit needs a folder. */
function fileAbove(checkout: string, path: string): string | undefined {
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    const found = findEntry(checkout, at);
    if (found !== undefined && !found.isDirectory()) return at;
  }
  return undefined;
}

/** The entry at a path; undefined also if a parent is not a folder. */
export function findEntry(checkout: string, path: string): Stats | undefined {
  try {
    return lstatSync(join(checkout, path), { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}
