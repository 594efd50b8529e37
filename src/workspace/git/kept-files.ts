import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { splitAtZero } from "./read-diff.ts";

/**
 * What a set-up left behind, file by file, so that it can be told from what checks did to it since. Names are read
 * as bytes, one character each: a name need not be text.
 */
type Marks = ReadonlyMap<string, string>;

const bytes = (path: string) => Buffer.from(path, "latin1");
const encoded = (text: string) => Buffer.from(text).toString("latin1");

/** Everything at and below these paths. Nobody can set the time at which the system took note of a change. */
function marksOf(folder: string, paths: readonly string[]): Marks {
  const marks = new Map<string, string>();
  const open = [...paths];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const full = bytes(`${encoded(folder)}/${path}`);
    const found = lstatSync(full, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) continue;
    marks.set(path, found.isDirectory() ? "folder" : `${found.ino} ${found.ctimeNs}`);
    if (!found.isDirectory()) continue;
    for (const name of readdirSync(full, { encoding: "latin1" })) open.push(`${path}/${name}`);
  }
  return marks;
}

/** The paths are what git lists as untracked, separated by NUL. */
export function writeMarks(file: string, key: string, kept: { folder: string; untracked: Buffer }): void {
  const marks = marksOf(kept.folder, namesIn(kept.untracked));
  // The key comes last: a list that was cut has none, and nothing is taken for added by it.
  const fields = [...marks].flat().concat(key);
  writeFileSync(`${file}.new`, bytes(fields.map((field) => `${field}\0`).join("")), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The key, after what was added since is removed; undefined where something was changed or is gone. */
export function restoreMarked(file: string, kept: { folder: string; untracked: Buffer }): string | undefined {
  const fields = splitAtZero(readFileSync(file)).map((field) => field.toString("latin1"));
  const key = fields.length % 2 === 1 ? fields.pop() : undefined;
  const before = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 2) before.set(fields[at] as string, fields[at + 1] as string);
  const now = marksOf(kept.folder, namesIn(kept.untracked));
  if (key === undefined || [...before].some(([path, mark]) => now.get(path) !== mark)) return undefined;
  const added = [...now.keys()].filter((path) => !before.has(path));
  return added.every((path) => isRemoved(kept.folder, path)) ? key : undefined;
}

/** What an agent's code left may refuse to go. */
function isRemoved(folder: string, path: string): boolean {
  try {
    rmSync(bytes(`${encoded(folder)}/${path}`), { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function namesIn(untracked: Buffer): string[] {
  return splitAtZero(untracked).map((name) => name.toString("latin1").replace(/\/$/, ""));
}
