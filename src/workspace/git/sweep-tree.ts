import { chmodSync, type Dirent, lstatSync, readdirSync, rmSync } from "node:fs";
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

interface Sweeping {
  readonly keptNames: readonly string[];
  /** When Lockstep had written everything and nothing else could change it yet, as the system recorded it. */
  readonly writtenMs: number;
}

interface Swept {
  /** The paths with a kept name. */
  readonly kept: readonly BytePath[];
  /** The other folders that were changed since, each after those above it: they may have attributes and permissions. */
  readonly changed: readonly BytePath[];
}

/**
 * Removes everything that is not tracked, also where git does not look: nested `.git` folders and the files of
 * submodules. Tracked files that were changed since a time are removed too, because git neither sees attributes nor
 * removes them. Paths with a kept name stay with their content.
 */
export function sweepTree(folder: string, tracked: Tracked, sweeping: Sweeping): Swept {
  const { keptNames, writtenMs } = sweeping;
  const [kept, changed]: [BytePath[], BytePath[]] = [[], []];
  const open = [{ path: "", isKept: false }];
  for (let above = open.pop(); above !== undefined; above = open.pop()) {
    changed.push(...openIfChanged(folder, above.path, writtenMs));
    for (const entry of entriesIn(folder, above.path)) {
      const { path } = entry;
      const mode = tracked.modes.get(path);
      const isKept = above.isKept || keptNames.includes(entry.name);
      if (path === ".git") continue;
      if (mode !== undefined) {
        if (!isWritable(mode, entry.kind) || isChanged(folder, path, writtenMs)) remove(folder, path);
      } else if (tracked.folders.has(path)) {
        if (entry.kind.isDirectory()) open.push({ path, isKept });
        else remove(folder, path);
      } else if (isKept && entry.name !== ".git") kept.push(path);
      else {
        const left = prune(folder, entry, sweeping);
        kept.push(...left.kept);
        changed.push(...left.changed);
      }
    }
  }
  return { kept, changed };
}

/** Whether an entry is of the kind that git writes for a mode; submodules have folders, which stay empty. */
export function isWritable(mode: string | undefined, entry: Dirent<string>): boolean {
  if (mode === "120000") return entry.isSymbolicLink();
  return mode?.startsWith("100") === true && entry.isFile();
}

interface Entry {
  readonly path: BytePath;
  readonly name: string;
  readonly kind: Dirent<string>;
}

function entriesIn(folder: string, path: BytePath): readonly Entry[] {
  const found = readdirSync(placed(folder, path), { withFileTypes: true, encoding: "latin1" });
  return found.map((kind) => ({
    path: path === "" ? kind.name : `${path}/${kind.name}`,
    name: kind.name,
    kind,
  }));
}

/** Removes an untracked path except for the kept paths in it. */
function prune(folder: string, { path, name, kind }: Entry, sweeping: Sweeping): Swept {
  const { keptNames, writtenMs } = sweeping;
  const looksInside = kind.isDirectory() && name !== ".git" && keptNames.length > 0;
  const inside = !looksInside
    ? []
    : entriesIn(folder, path).map((entry) =>
        keptNames.includes(entry.name) ? { kept: [entry.path], changed: [] } : prune(folder, entry, sweeping),
      );
  const kept = inside.flatMap((one) => one.kept);
  if (kept.length === 0) {
    remove(folder, path);
    return { kept, changed: [] };
  }
  const own = openIfChanged(folder, path, writtenMs);
  return { kept, changed: [...own, ...inside.flatMap((one) => one.changed)] };
}

function remove(folder: string, path: BytePath): void {
  rmSync(placed(folder, path), { recursive: true, force: true });
}

/** No program can set this time. What was written in the same moment counts as changed too. */
function isChanged(folder: string, path: BytePath, writtenMs: number): boolean {
  return lstatSync(placed(folder, path)).ctimeMs >= writtenMs;
}

/** Restores the permissions of a folder that was changed, which may be closed to its owner, and returns its path. */
function openIfChanged(folder: string, path: BytePath, writtenMs: number): readonly BytePath[] {
  if (!isChanged(folder, path, writtenMs)) return [];
  const full = placed(folder, path);
  const permitted = 0o777 & ~process.umask();
  if ((lstatSync(full).mode & 0o7777) !== permitted) chmodSync(full, permitted);
  return [path];
}

/** As `onDisk`. Most names are ASCII, and for thousands of files a text is cheaper than its bytes. */
function placed(folder: string, path: BytePath): string | Buffer {
  return isAscii(path) ? `${folder}/${path}` : onDisk(folder, path);
}
