import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { repositoryTop } from "../../workspace/files/find-project.ts";
import { hooksFolder } from "../../workspace/git/active-hooks.ts";
import { splitAtZero } from "../../workspace/git/read-diff.ts";
import { gitBytes } from "../../workspace/git/run-git.ts";
import { submodulePaths } from "../../workspace/git/submodules.ts";

/** What a caller may write, by paths relative to the root of the tree. */
export interface LockView {
  /** True if a file of this name may be written. */
  holds(path: string): boolean;
  /** True if everything below the folder may be written. */
  holdsBelow(folder: string): boolean;
  /** True if something at or below the folder may be written. */
  reaches(folder: string): boolean;
  /** True for a path that is forbidden or protected, regardless of the lock. */
  closes(path: string): boolean;
  /** True if something at or below the folder is forbidden or protected. */
  closesBelow(folder: string): boolean;
}

/** Paths relative to the root of the tree. */
export interface ReadOnlyPaths {
  /** To be mounted read-only, with everything below. */
  readonly closed: readonly string[];
  /** Also outside the lock, but they cannot be mounted. They are compared afterwards. */
  readonly unmountable: readonly string[];
}

/** Builds and tests put their output next to these files. */
const manifests = [
  ...["package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "Makefile", "CMakeLists.txt"],
  ...["pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json", "mix.exs", "deno.json"],
];

/**
 * Each mount costs more than the one before. Package folders are left open only while the number of mounts stays below
 * this.
 */
const mountsMax = 300;

/**
 * The smallest set of paths that must be read-only to close everything outside the lock. Output that git ignores stays
 * writable (except `.env` files), and so do folders in which new output may be created: the root, package folders, and
 * folders that hold ignored files or part of the lock. The folder of git's hooks is closed even if it is ignored. New
 * files in an open folder, and links, are found by the comparison afterwards.
 */
export async function closedPaths(
  tree: string,
  commonFolder: string,
  lock: LockView,
): Promise<ReadOnlyPaths> {
  const top = repositoryTop(tree) ?? tree;
  const [ignored, packages, hooks, submodules] = await Promise.all([
    listed(tree, ["--others", "--ignored", "--exclude-standard", "--directory"]),
    listed(tree, ["--", ...manifests.map((name) => `:(glob)**/${name}`)]),
    hooksFolder(tree, commonFolder).then((folder) => relative(tree, folder)),
    submodulePaths(top).then((paths) => paths.map((path) => relative(tree, join(top, path)))),
  ]);
  const loose = new Set(ignored.filter((path) => !isSetting(path)).map((path) => path.replace(/\/$/, "")));
  const open = new Set<string>();
  for (const path of loose) openAbove(path, open);
  for (const path of packages.toSorted((one, other) => one.length - other.length))
    if (open.size * 8 < mountsMax) openAbove(path, open);
  const closed: string[] = [];
  const unmountable: string[] = [];
  close("", false);
  return { closed, unmountable };

  function close(folder: string, isLoose: boolean): void {
    for (const entry of readdirSync(join(tree, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (path === ".git") continue; // the sandbox itself closes it
      const free = isLoose || loose.has(path);
      if (lock.closes(path) || (path === hooks && (free || !lock.holdsBelow(path)))) closeOne(path, entry);
      else if (entry.isDirectory() && (holdsClosed(path) || !isWhole(path, free))) close(path, free);
      else if (!free && !(entry.isDirectory() ? lock.holdsBelow(path) : lock.holds(path)))
        closeOne(path, entry);
    }
  }

  function holdsClosed(path: string): boolean {
    const closedBelow = [hooks, ...submodules.map((folder) => `${folder}/.git`)];
    return lock.closesBelow(path) || closedBelow.some((one) => one.startsWith(`${path}/`));
  }

  /** True if the folder is writable as a whole, or not at all. */
  function isWhole(path: string, free: boolean): boolean {
    return free || lock.holdsBelow(path) || !(lock.reaches(path) || open.has(path));
  }

  function closeOne(path: string, entry: Dirent): void {
    // Mounting on a link would mount its target, and a mount cannot name a path that is not UTF-8.
    (entry.isSymbolicLink() || path.includes("\ufffd") ? unmountable : closed).push(path);
  }
}

/**
 * An `.env` file is ignored because it holds secrets, not because a program generates it. An `.env` folder is a Python
 * environment.
 */
export function isSetting(path: string): boolean {
  return basename(path).startsWith(".env") && !path.endsWith("/");
}

function openAbove(path: string, open: Set<string>): void {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) open.add(folder);
}

async function listed(tree: string, words: readonly string[]): Promise<readonly string[]> {
  const out = await gitBytes(tree, ["ls-files", "-z", ...words]);
  return splitAtZero(out).map((name) => name.toString("utf8"));
}
