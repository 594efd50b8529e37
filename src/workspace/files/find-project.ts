import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Place } from "../../core/paths/place.ts";

export interface Project {
  readonly place: Place;
  /** The git folder that all worktrees share; undefined outside a repository. */
  readonly commonFolder: string | undefined;
}

/** The project of a folder: the nearest folder at or above it with `.git` or `.lockstep`, else the folder itself. */
export function findProject(folder: string): Project {
  const realFolder = realpathSync.native(folder);
  const realRoot = nearestWith(realFolder, [".git", ".lockstep"]) ?? realFolder;
  const commonFolder = commonFolderOf(realRoot);
  const root = spelledRoot(folder, relative(realRoot, realFolder), realRoot);
  return {
    place: {
      root,
      realRoot,
      home: homedir(),
      folds: foldsNames(),
      checkouts: otherCheckouts(realRoot, commonFolder),
      gitFolders: gitFoldersInside(realRoot, commonFolder),
    },
    commonFolder,
  };
}

/** The current folder as the caller spells it. */
export function currentFolder(): string {
  const real = process.cwd();
  const spelled = process.env.PWD;
  if (spelled === undefined || !isAbsolute(spelled)) return real;
  try {
    return realpathSync.native(spelled) === real ? spelled : real;
  } catch {
    return real;
  }
}

/** The root as the caller spells it, if that spelling leads to the same folder. */
function spelledRoot(folder: string, below: string, realRoot: string): string {
  const spelled = resolve(folder);
  if (below !== "" && !spelled.endsWith(`/${below}`)) return realRoot;
  const root = below === "" ? spelled : spelled.slice(0, -below.length - 1);
  return realpathSync.native(root) === realRoot ? root : realRoot;
}

function nearestWith(folder: string, names: readonly string[]): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (names.some((name) => existsSync(join(at, name)))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** The top of the checkout that contains a folder. */
export function repositoryTop(folder: string): string | undefined {
  return nearestWith(folder, [".git"]);
}

/** Reads the same files as git, without starting git. */
function commonFolderOf(root: string): string | undefined {
  const repository = repositoryTop(root);
  const git = repository === undefined ? undefined : gitFolderOf(join(repository, ".git"));
  if (git === undefined) return undefined;
  const shared = readLine(join(git, "commondir"));
  return shared === undefined ? git : resolve(git, shared);
}

/** The project's folder in the main checkout and in the linked worktrees, except this one. */
function otherCheckouts(realRoot: string, commonFolder: string | undefined): readonly string[] {
  if (commonFolder === undefined) return [];
  const worktrees = join(commonFolder, "worktrees");
  const names = existsSync(worktrees) ? readdirSync(worktrees) : [];
  const linked = names.flatMap((name) => readLine(join(worktrees, name, "gitdir")) ?? []);
  const main = commonFolder.endsWith("/.git") ? [commonFolder] : [];
  const below = relative(nearestWith(realRoot, [".git"]) ?? realRoot, realRoot);
  return [...main, ...linked]
    .map((dotGit) => join(dirname(dotGit), below))
    .filter((root) => root !== realRoot);
}

function gitFoldersInside(realRoot: string, commonFolder: string | undefined): readonly string[] {
  const path = commonFolder === undefined ? "" : relative(realRoot, commonFolder);
  return path === "" || path.startsWith("..") || path === ".git" ? [] : [path];
}

export function gitFolderOf(dotGit: string): string | undefined {
  if (statSync(dotGit).isDirectory()) return dotGit;
  const target = readLine(dotGit)?.match(/^gitdir: (.+)$/)?.[1];
  return target === undefined ? undefined : resolve(dirname(dotGit), target);
}

function readLine(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n", 1)[0]?.trim() : undefined;
}

/** The usual file systems of macOS and Windows ignore case. Testing the disk would need a write. */
function foldsNames(): boolean {
  return process.platform === "darwin" || process.platform === "win32";
}
