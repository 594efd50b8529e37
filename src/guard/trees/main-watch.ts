import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { protectedPaths } from "../../core/paths/protected-paths.ts";
import { readDiff, readName, splitAtZero } from "../../workspace/git/read-diff.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { gitBytes } from "../../workspace/git/run-git.ts";
import type { TreeWatch } from "../guard-world.ts";
import { callFile, readCallFile, sweepCallFiles, writeCallFile } from "./call-file.ts";

/** What git says of the working folder, with what tells one content of a file from the next. */
interface Seen {
  readonly root: string;
  readonly head: string | null;
  readonly paths: Readonly<Record<string, string>>;
}

const closedFilesMax = 500;

/**
 * The main checkout, in which several agents and people work: it is compared without reading any content, and what
 * has changed is only told.
 */
export function mainWatch(gitFolder: string, folder: () => string): TreeWatch {
  return {
    async remember(name, root) {
      const seen = await look(root, gitFolder);
      sweepCallFiles(folder(), Date.now());
      writeCallFile(callFile(folder(), name), seen);
    },
    async compare(name) {
      const before = readCallFile<Seen>(callFile(folder(), name));
      if (before === undefined) return undefined;
      const after = await look(before.root, gitFolder);
      const all = new Set([...Object.keys(before.paths), ...Object.keys(after.paths)]);
      const changed = [...all].filter((path) => before.paths[path] !== after.paths[path]);
      return [...new Set([...changed, ...(await movedBetween(before, after))])].sort();
    },
    forget: (name) => rmSync(callFile(folder(), name), { force: true }),
  };
}

async function look(root: string, gitFolder: string): Promise<Seen> {
  const words = [
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules",
  ];
  const paths: Record<string, string> = {};
  for (const entry of splitAtZero(await gitBytes(root, words))) {
    const { path } = readName(entry.subarray(3));
    paths[path] = `${entry.toString("latin1", 0, 2)} ${markOf(join(root, path))}`;
  }
  // A linked worktree has git's settings in the folder that all of them share.
  const fileOf = (path: string) =>
    path.startsWith(".git/") ? join(gitFolder, path.slice(".git/".length)) : join(root, path);
  for (const path of closedFiles(fileOf)) paths[path] = markOf(fileOf(path));
  return { root, head: (await readRef(root, "HEAD")) ?? null, paths };
}

/** A file that is written has another one of these, and one that is only read does not. */
function markOf(file: string): string {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return "absent";
  return [found.mtimeNs, found.ctimeNs, found.size, found.ino, found.mode].join(" ");
}

/** What no agent may write, also where git does not look: a few files that decide what is run. */
function closedFiles(fileOf: (path: string) => string): readonly string[] {
  const found: string[] = [];
  const open = [".git/config", ".git/hooks", ...protectedPaths.filter((path) => path !== ".git")];
  for (let path = open.pop(); path !== undefined && found.length < closedFilesMax; path = open.pop()) {
    const kind = lstatSync(fileOf(path), { throwIfNoEntry: false });
    if (kind === undefined) continue;
    if (!kind.isDirectory()) found.push(path);
    else if (path !== ".lockstep/state")
      for (const name of readdirSync(fileOf(path))) open.push(`${path}/${name}`);
  }
  return found;
}

/** A merge leaves nothing behind that a status would show. */
async function movedBetween(before: Seen, after: Seen): Promise<readonly string[]> {
  if (before.head === after.head || before.head === null || after.head === null) return [];
  return (await readDiff(before.root, before.head, after.head)).map(({ path }) => path);
}
