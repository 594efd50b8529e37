import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The state of a path, as far as a command can change it. */
interface Seen {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly mode: number;
  /** The number of names of a file; a hard link elsewhere is a second one. */
  readonly names: number;
  readonly changedAt: number;
  readonly content: string;
  /** Differs after any action; the other fields show whether it made a difference. */
  readonly touched: string;
}

/** A folder with all of its content, by relative paths. */
export type Picture = ReadonlyMap<string, Seen>;

/** Reads a folder. Files that were not touched since `before` are not read again. */
export function takePicture(folder: string, before: Picture = new Map()): Picture {
  const picture = new Map<string, Seen>();
  const walk = (below: string) => {
    for (const name of namesIn(join(folder, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      const seen = look(join(folder, path), before.get(path));
      picture.set(path, seen);
      if (seen.kind === "folder") walk(path);
    }
  };
  walk("");
  return picture;
}

/** The changed paths, in order. */
export function changedPaths(before: Picture, after: Picture): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => describe(before.get(path)) !== describe(after.get(path))).sort();
}

/** Restores the state of `before`, and returns the new state. */
export function restore(folder: string, before: Picture, after: Picture): Picture {
  const differing = changedPaths(before, after);
  for (const path of differing)
    if (before.get(path)?.kind !== "folder" || after.get(path)?.kind !== "folder")
      rmSync(join(folder, path), { recursive: true, force: true });
  for (const path of differing) {
    const wanted = before.get(path);
    if (wanted !== undefined) make(join(folder, path), wanted);
  }
  const now = takePicture(folder, before);
  const left = changedPaths(before, now);
  if (left.length > 0) throw new Error(`${left.join(", ")} cannot be put back in ${folder}`);
  return now;
}

function make(path: string, { kind, mode, changedAt, content }: Seen): void {
  if (kind === "folder") mkdirSync(path, { recursive: true });
  else if (kind === "link") symlinkSync(content, path);
  else writeFileSync(path, content, "latin1");
  if (kind !== "link") chmodSync(path, mode);
  lutimesSync(path, changedAt, changedAt);
}

/** A folder's time changes with its content, which is compared anyway. */
function describe(seen: Seen | undefined): string {
  if (seen === undefined) return "absent";
  const { kind, mode, names, changedAt, content } = seen;
  return kind === "folder" ? `${kind} ${mode}` : JSON.stringify([kind, mode, names, changedAt, content]);
}

function look(path: string, before: Seen | undefined): Seen {
  const stat = lstatSync(path, { bigint: true });
  const touched = `${stat.ino} ${stat.ctimeNs} ${stat.size} ${stat.nlink}`;
  if (before?.touched === touched) return before;
  const kind = stat.isDirectory()
    ? "folder"
    : stat.isSymbolicLink()
      ? "link"
      : stat.isFile()
        ? "file"
        : "other";
  const content = kind === "link" ? readlinkSync(path) : kind === "file" ? readFileSync(path, "latin1") : "";
  return {
    kind,
    mode: Number(stat.mode & 0o7777n),
    names: kind === "file" ? Number(stat.nlink) : 1,
    changedAt: Math.round(Number(stat.mtimeNs) / 1e6) / 1000,
    content,
    touched,
  };
}

/** A command may have made a folder unreadable. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    chmodSync(folder, 0o700);
    return readdirSync(folder);
  }
}
