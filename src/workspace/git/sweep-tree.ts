import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { type BytePath, isAscii, onDisk } from "./byte-path.ts";

/** The paths of a commit with their git modes, and all folders above them. */
interface Tracked {
  readonly modes: ReadonlyMap<BytePath, string>;
  readonly folders: ReadonlySet<BytePath>;
}

export function trackedIn(tree: ReadonlyMap<BytePath, { readonly mode: string }>): Tracked {
  const folders = new Set<BytePath>();
  for (const path of tree.keys())
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (folders.has(path.slice(0, end))) break;
      folders.add(path.slice(0, end));
    }
  return { modes: new Map([...tree].map(([path, { mode }]) => [path, mode])), folders };
}

/**
 * Removes everything that is not tracked, also where git does not look: nested `.git` folders and the files of
 * submodules. Paths with a kept name stay with their content, and are returned.
 */
export function sweepTree(folder: string, tracked: Tracked, keptNames: readonly string[]): BytePath[] {
  const kept: BytePath[] = [];
  const permitted = 0o777 & ~process.umask();
  const open = [{ path: "", isKept: false }];
  permit(folder, permitted);
  for (let above = open.pop(); above !== undefined; above = open.pop()) {
    for (const entry of entriesIn(folder, above.path)) {
      const { path } = entry;
      const full = placed(folder, path);
      const mode = tracked.modes.get(path);
      const isKept = above.isKept || keptNames.includes(entry.name);
      if (path === ".git" || mode === "120000") continue;
      if (mode === "160000") for (const { path: inside } of entriesIn(folder, path)) remove(folder, inside);
      else if (mode !== undefined) permit(full, mode === "100755" ? permitted : permitted & 0o666);
      else if (tracked.folders.has(path)) {
        permit(full, permitted);
        open.push({ path, isKept });
      } else if (isKept && entry.name !== ".git") kept.push(path);
      else kept.push(...prune(folder, entry, keptNames));
    }
  }
  return kept;
}

interface Entry {
  readonly path: BytePath;
  readonly name: string;
  readonly isFolder: boolean;
}

function entriesIn(folder: string, path: BytePath): readonly Entry[] {
  const found = readdirSync(placed(folder, path), { withFileTypes: true, encoding: "latin1" });
  return found.map((entry) => ({
    path: path === "" ? entry.name : `${path}/${entry.name}`,
    name: entry.name,
    isFolder: entry.isDirectory(),
  }));
}

/** Removes an untracked path except for the kept paths in it, which are returned. */
function prune(folder: string, { path, name, isFolder }: Entry, keptNames: readonly string[]): BytePath[] {
  const looksInside = isFolder && name !== ".git" && keptNames.length > 0;
  const kept = !looksInside
    ? []
    : entriesIn(folder, path).flatMap((entry) =>
        keptNames.includes(entry.name) ? [entry.path] : prune(folder, entry, keptNames),
      );
  if (kept.length === 0) remove(folder, path);
  return kept;
}

function remove(folder: string, path: BytePath): void {
  rmSync(placed(folder, path), { recursive: true, force: true });
}

/** Restores permissions that git does not restore: git only sets the executable bit. */
function permit(full: string | Buffer, mode: number): void {
  if ((lstatSync(full).mode & 0o7777) !== mode) chmodSync(full, mode);
}

/** As `onDisk`. Most names are ASCII, and for thousands of files a text is cheaper than its bytes. */
function placed(folder: string, path: BytePath): string | Buffer {
  return isAscii(path) ? `${folder}/${path}` : onDisk(folder, path);
}
