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

/** Fingerprints of everything at and below these paths. */
function marksOf(folder: string, paths: readonly BytePath[]): Map<BytePath, string> {
  const marks = new Map<BytePath, string>();
  const open = [...paths];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const mark = markAt(folder, path);
    if (mark === undefined) continue;
    marks.set(path, mark);
    if (!isFolder(mark)) continue;
    for (const name of readdirSync(onDisk(folder, path), { encoding: "latin1" }))
      open.push(`${path}/${name}`);
  }
  return marks;
}

/** A folder's identity is its mode: files may be added to it. The ctime, which is last, cannot be set by a program. */
function markAt(folder: string, path: BytePath): string | undefined {
  const found = lstatSync(onDisk(folder, path), { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return `${found.isDirectory() ? `folder ${found.mode}` : found.ino} ${found.ctimeNs}`;
}

function isFolder(mark: string): boolean {
  return mark.startsWith("folder ");
}

/** Records the files that a setup created. */
export function writeMarks(file: string, key: string, kept: { folder: string; paths: readonly BytePath[] }) {
  write(file, { key, marks: marksOf(kept.folder, kept.paths) });
}

function write(file: string, { key, marks }: Pick<Restored, "key" | "marks">): void {
  // The key comes last. A truncated list has no key, so files missing in it are not taken for added ones.
  const fields = [...marks].flat().concat(key);
  const bytes = Buffer.from(fields.map((field) => `${field}\0`).join(""), "latin1");
  replaceFile(file, bytes);
}

export interface Restored {
  readonly key: string;
  readonly marks: Marks;
  /** The folders to which something happened, each after those above it: they may have attributes and permissions. */
  readonly changed: readonly BytePath[];
}

/** Removes files that were added since. Undefined if a file was changed, removed or made unreadable. */
export function restoreMarked(
  file: string,
  kept: { folder: string; paths: readonly BytePath[] },
): Restored | undefined {
  const fields = splitAtZero(readFileSync(file)).map((field) => field.toString("latin1"));
  const key = fields.length % 2 === 1 ? fields.pop() : undefined;
  const before = new Map<BytePath, string>();
  for (let at = 0; at < fields.length; at += 2) before.set(fields[at] as string, fields[at + 1] as string);
  try {
    const now = marksOf(kept.folder, kept.paths);
    if (key === undefined || [...before].some(([path, mark]) => !isSame(mark, now.get(path))))
      return undefined;
    const added = [...now.keys()].filter((path) => !before.has(path));
    for (const path of added) rmSync(onDisk(kept.folder, path), { recursive: true, force: true });
    const changed = [...now.keys()].filter((path) => before.has(path) && before.get(path) !== now.get(path));
    return { key, marks: before, changed };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function isSame(mark: string, now: string | undefined): boolean {
  if (!isFolder(mark) || now === undefined) return mark === now;
  return mark.slice(0, mark.lastIndexOf(" ")) === now.slice(0, now.lastIndexOf(" "));
}

/** Records the marks again of everything in folders that were made anew: it was moved, which changes its ctime. */
export function markMoved(
  file: string,
  { key, marks }: Restored,
  { folder, anew }: { folder: string; anew: ReadonlySet<BytePath> },
): void {
  const isMoved = (path: BytePath) =>
    anew.has(path) || anew.has(path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
  const moved = [...marks.keys()].filter(isMoved);
  if (moved.length === 0) return;
  const again = moved.flatMap((path): [BytePath, string][] => {
    const mark = markAt(folder, path);
    return mark === undefined ? [] : [[path, mark]];
  });
  write(file, { key, marks: new Map([...marks, ...again]) });
}
