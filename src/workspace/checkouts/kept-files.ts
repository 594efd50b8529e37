import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { replaceFile } from "../files/replace-file.ts";
import { splitAtZero } from "../git/read-diff.ts";
import { type BytePath, onDisk } from "../git/sweep-tree.ts";

/** What a set-up left behind, file by file, so that it can be told from what checks did to it since. */
type Marks = ReadonlyMap<BytePath, string>;

/** What an agent's code left may refuse to be read, or to go. */
export function isRefusal(error: unknown): boolean {
  return ["EACCES", "EPERM", "ENOTEMPTY", "ENAMETOOLONG"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
}

/** Everything at and below these paths. Nobody can set the time at which the system took note of a change. */
function marksOf(folder: string, paths: readonly BytePath[]): Marks {
  const marks = new Map<BytePath, string>();
  const open = [...paths];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const full = onDisk(folder, path);
    const found = lstatSync(full, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) continue;
    marks.set(path, found.isDirectory() ? `folder ${found.mode}` : `${found.ino} ${found.ctimeNs}`);
    if (!found.isDirectory()) continue;
    for (const name of readdirSync(full, { encoding: "latin1" })) open.push(`${path}/${name}`);
  }
  return marks;
}

/** The paths are what a set-up left. */
export function writeMarks(file: string, key: string, kept: { folder: string; paths: readonly BytePath[] }) {
  // The key comes last: a list that was cut has none, and nothing is taken for added by it.
  const fields = [...marksOf(kept.folder, kept.paths)].flat().concat(key);
  const bytes = Buffer.from(fields.map((field) => `${field}\0`).join(""), "latin1");
  replaceFile(file, bytes);
}

/**
 * The key, after what was added since is removed; undefined where something was changed, is gone, or was closed to
 * its owner.
 */
export function restoreMarked(
  file: string,
  kept: { folder: string; paths: readonly BytePath[] },
): string | undefined {
  const fields = splitAtZero(readFileSync(file)).map((field) => field.toString("latin1"));
  const key = fields.length % 2 === 1 ? fields.pop() : undefined;
  const before = new Map<BytePath, string>();
  for (let at = 0; at < fields.length; at += 2) before.set(fields[at] as string, fields[at + 1] as string);
  try {
    const now = marksOf(kept.folder, kept.paths);
    if (key === undefined || [...before].some(([path, mark]) => now.get(path) !== mark)) return undefined;
    const added = [...now.keys()].filter((path) => !before.has(path));
    for (const path of added) rmSync(onDisk(kept.folder, path), { recursive: true, force: true });
    return key;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
