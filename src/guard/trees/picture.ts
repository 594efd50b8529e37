import { type BigIntStats, existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import { protectedPaths } from "../../core/paths/protected-paths.ts";
import { gitFolderOf } from "../../workspace/files/find-project.ts";
import { asBytes, type BytePath, onDisk } from "../../workspace/git/byte-path.ts";
import { asEnvironment, isRefused, replaceFilter } from "../../workspace/git/git-settings.ts";
import { filtersIn } from "../../workspace/git/known-settings.ts";
import { splitAtZero } from "../../workspace/git/read-diff.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { gitBytes } from "../../workspace/git/run-git.ts";
import { submodulePaths } from "../../workspace/git/submodules.ts";
import { type Copies, markOf } from "./copies.ts";

/** The state of one path. */
export interface Seen {
  /** The two letters of git's status: index, then working tree; empty if git does not list the path. */
  readonly letters: string;
  /** Changes with the content of the file. */
  readonly mark: string;
  /** As reported by lstat; 0 if absent. */
  readonly mode: number;
  /** When it last changed (ctime), in whole milliseconds. */
  readonly changedMs: number;
  /** The copy of its content; null if absent, or if `why` says why there is none. */
  readonly copy: string | null;
  readonly why?: string;
}

/**
 * A working tree at one moment. Paths that are not listed are as in the commit, so a picture is only as large as the
 * uncommitted changes. Paths are relative to the project's root, which may be below the repository's root.
 */
export interface Picture {
  readonly root: string;
  readonly atMs: number;
  readonly head: string | null;
  /** True if not all of the commit is checked out. */
  readonly isSparse: boolean;
  readonly paths: Readonly<Record<BytePath, Seen>>;
}

/** Where a picture is taken, and which checkouts are left out. */
export interface Scene {
  readonly root: string;
  /** Git's folder, which all worktrees share. */
  readonly gitFolder: string;
  /** Other checkouts of the project, which may be inside this one. */
  readonly checkouts: readonly string[];
}

export const outside = "../";

export async function takePicture(scene: Scene, copies: Copies): Promise<Picture> {
  const { root } = scene;
  const atMs = Date.now();
  const top = topOf(root);
  const below = prefixOf(root);
  const paths: Record<BytePath, Seen> = {};
  const others = topsOf(scene);
  const look = lookIn(scene, copies);
  for (const { path: listed, letters, isForeign } of await readStatus(top, scene.gitFolder)) {
    const path = fromRoot(below, listed);
    if (others.has(`${asBytes(top)}/${listed.replace(/\/$/, "")}`)) continue;
    const why = isForeign ? "it is in a nested git repository" : undefined;
    paths[path] = { ...look(path, path.startsWith(outside) ? "it is outside the project" : why), letters };
  }
  let isSparse = false;
  for (const { path: listed, isSkipped } of await readUnlooked(top)) {
    const path = fromRoot(below, listed);
    const seen = look(path, path.startsWith(outside) ? "it is outside the project" : undefined);
    if (seen.mode !== 0) paths[path] ??= seen;
    else isSparse ||= isSkipped;
  }
  for (const path of closedFiles(scene)) paths[path] ??= look(path);
  return { root, atMs, head: (await readRef(root, "HEAD")) ?? null, isSparse, paths };
}

/** Takes the state of single paths. */
export function lookIn(scene: Scene, copies: Copies): (path: BytePath, why?: string) => Seen {
  const isPlain = plainFolders(scene.root);
  return (path, why) => {
    const file = fileOf(scene, path);
    const found = isPlain(path) ? foundAt(file) : undefined;
    if (found === undefined) return { letters: "", mark: absent, mode: 0, changedMs: 0, copy: null };
    const seen = { letters: "", mark: markOf(found), mode: Number(found.mode) };
    const copied = why === undefined ? copies.take(file, found) : { why };
    return { ...seen, changedMs: Number(found.ctimeMs), copy: null, ...copied };
  };
}

/** The current mark of a path, to see whether it changed again. */
export function markAt(scene: Scene, path: BytePath): string {
  const found = plainFolders(scene.root)(path) ? foundAt(fileOf(scene, path)) : undefined;
  return found === undefined ? absent : markOf(found);
}

const absent = "absent";

/** Git tracks no folders, except nested repositories. */
function foundAt(file: Buffer): BigIntStats | undefined {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  const isFolder = found?.isDirectory() === true;
  return isFolder && !existsSync(Buffer.concat([file, Buffer.from("/.git")])) ? undefined : found;
}

/** Paths in `.git` are read from git's folder, which all worktrees share. */
export function fileOf({ root, gitFolder }: Pick<Scene, "root" | "gitFolder">, path: BytePath): Buffer {
  const whole = path.replace(/\/$/, "");
  return whole.startsWith(".git/") ? onDisk(gitFolder, whole.slice(".git/".length)) : onDisk(root, whole);
}

/** The project's folder within its repository: empty, or ending with a slash. */
export function prefixOf(root: string): BytePath {
  const below = relative(topOf(root), root);
  return below === "" ? "" : `${asBytes(below)}/`;
}

/** The root folders of the other checkouts. */
function topsOf({ root, checkouts }: Scene): ReadonlySet<BytePath> {
  const { length } = prefixOf(root);
  return new Set(checkouts.map(asBytes).map((path) => path.slice(0, path.length - length)));
}

function topOf(root: string): string {
  let top = root;
  while (!existsSync(`${top}/.git`) && top !== dirname(top)) top = dirname(top);
  return top;
}

/** Converts a path relative to the repository into one relative to the project. */
export function fromRoot(below: BytePath, path: BytePath): BytePath {
  return path.startsWith(below)
    ? path.slice(below.length)
    : outside.repeat(below.split("/").length - 1) + path;
}

/** Returns a test whether no link is above a path. */
export function plainFolders(root: string): (path: BytePath) => boolean {
  const known = new Map<BytePath, boolean>([[".", true]]);
  const isFolder = (path: BytePath): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = isFolder(dirname(path)) && !isLink(onDisk(root, path));
    known.set(path, found);
    return found;
  };
  return (path) => path.startsWith(".git/") || path.startsWith(outside) || isFolder(dirname(path));
}

/** A file has nothing below it either, so it counts like a link. */
function isLink(file: Buffer): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}

interface Listed {
  readonly path: BytePath;
  readonly letters: string;
  /** True in a submodule. */
  readonly isForeign: boolean;
}

const words = "status --porcelain -z --no-renames --untracked-files=all --ignore-submodules=dirty".split(" ");

/**
 * Lists uncommitted paths, including those in submodules, without running filters that could start other programs. Each
 * submodule is read separately, and only if its settings are in git's own folder, which no agent may write.
 */
async function readStatus(top: string, gitFolder: string, isForeign = false): Promise<readonly Listed[]> {
  const filters = (await filtersIn(top)).filter(isRefused);
  const env = asEnvironment(filters.flatMap((name) => replaceFilter(name, "off")));
  const listed: Listed[] = splitAtZero(await gitBytes(top, words, { env })).map((entry) => ({
    path: entry.toString("latin1", 3),
    letters: entry.toString("latin1", 0, 2),
    isForeign,
  }));
  for (const submodule of await submodulePaths(top)) {
    if (!isKeptBy(gitFolder, `${top}/${submodule}/.git`)) continue;
    const path = asBytes(submodule);
    const inside = await readStatus(`${top}/${submodule}`, gitFolder, true);
    if (inside.length > 0 && !listed.some((one) => one.path === path))
      listed.push({ path, letters: " M", isForeign });
    listed.push(...inside.map((one) => ({ ...one, path: `${path}/${one.path}` })));
  }
  return listed;
}

function isKeptBy(gitFolder: string, dotGit: string): boolean {
  const own = existsSync(dotGit) ? gitFolderOf(dotGit) : undefined;
  return own !== undefined && existsSync(own) && realpathSync(own).startsWith(`${realpathSync(gitFolder)}/`);
}

/**
 * Paths that the index marks as not to be checked: a lowercase letter for `assume-unchanged`, `S` for `skip-worktree`.
 */
async function readUnlooked(top: string): Promise<readonly { path: BytePath; isSkipped: boolean }[]> {
  const listed = (await gitBytes(top, ["ls-files", "-v", "-z"])).toString("latin1");
  return [...listed.matchAll(/(?<=^|\0)([a-zS]) ([^\0]*)/g)].map(([, letter = "", path = ""]) => ({
    path,
    isSkipped: /s/i.test(letter),
  }));
}

const closedFilesMax = 500;
const closedInGit = [".git/config", ".git/hooks", ".git/info/exclude", ".git/info/attributes"];

/** The files that decide what is run and that no agent may write, even where git does not look. */
function closedFiles(scene: Scene): readonly BytePath[] {
  const others = topsOf(scene);
  const found: BytePath[] = [];
  const open: BytePath[] = [...closedInGit, ...protectedPaths.filter((path) => path !== ".git")];
  for (let path = open.pop(); path !== undefined && found.length < closedFilesMax; path = open.pop()) {
    const file = fileOf(scene, path);
    const kind = lstatSync(file, { throwIfNoEntry: false });
    if (kind === undefined || others.has(file.toString("latin1"))) continue;
    if (!kind.isDirectory()) found.push(path);
    else if (path !== ".lockstep/state")
      for (const name of readdirSync(file, { encoding: "latin1" })) open.push(`${path}/${name}`);
  }
  return found;
}
