import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { replaceFile } from "../files/replace-file.ts";
import { type BytePath, onDisk } from "../git/byte-path.ts";
import { splitAtZero } from "../git/read-diff.ts";

/** Fingerprints of the files that a setup created, to detect later changes by checks. */
type Marks = ReadonlyMap<BytePath, string>;

/** True for errors of files that cannot be read or removed, which code of agents may have left. */
export function isRefusal(error: unknown): boolean {
  return ["EACCES", "EPERM", "ENOTEMPTY", "ENAMETOOLONG"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
}

/** Fingerprints of everything at and below these paths. The ctime cannot be set by a program. */
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

/** Records the files that a setup created. */
export function writeMarks(file: string, key: string, kept: { folder: string; paths: readonly BytePath[] }) {
  // The key comes last. A truncated list has no key, so files missing in it are not taken for added ones.
  const fields = [...marksOf(kept.folder, kept.paths)].flat().concat(key);
  const bytes = Buffer.from(fields.map((field) => `${field}\0`).join(""), "latin1");
  replaceFile(file, bytes);
}

/** Removes files that were added since, and returns the key. Undefined if a file was changed, removed or made unreadable. */
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
