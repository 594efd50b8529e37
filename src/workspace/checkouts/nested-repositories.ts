import { lstatSync, readlinkSync } from "node:fs";
import { quoted } from "../../core/text/quoted.ts";
import { type BytePath, onDisk, shown } from "../git/byte-path.ts";
import { splitAtZero } from "../git/read-diff.ts";
import { type GitOptions, git, gitBytes, tryGit } from "../git/run-git.ts";
import { CheckoutFault } from "./checkout.ts";
import { closedText, isOutput, sizeAt, walkTree } from "./walk-tree.ts";

/**
 * Git treats a repository inside another one as a submodule and leaves its files out. Here they are ordinary files, and
 * the `.git` folder is kept under another name, so that no work of an agent is lost with its checkout.
 */

type Own = Required<Pick<GitOptions, "env">>;

/** True for `sub/.git` itself and everything below it. */
export function isInGit(path: BytePath): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(path);
}

/** The nested repositories that are neither tracked nor ignored. */
export async function untrackedRepositories(folder: string, own: Own): Promise<readonly BytePath[]> {
  const words = ["ls-files", "--others", "--exclude-standard", "-z"];
  return namesIn(await gitBytes(folder, words, own)).flatMap((path) =>
    path.endsWith("/") ? [path.slice(0, -1)] : [],
  );
}

export async function trackedIn(folder: string, own: Own): Promise<readonly BytePath[]> {
  return namesIn(await gitBytes(folder, ["ls-files", "-z"], own));
}

/** The nested repositories in output folders such as `dist`. These folders are only searched if they have tracked files. */
export function repositoriesAmong(folder: string, tracked: Iterable<BytePath>): readonly BytePath[] {
  const folders = new Set<BytePath>();
  for (const path of tracked) if (isOutput(path)) for (const above of foldersAbove(path)) folders.add(above);
  return [...folders].filter((path) => sizeAt(folder, `${path}/.git`) !== undefined);
}

function foldersAbove(path: BytePath): readonly BytePath[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Stages the current files of nested repositories. The project's submodules stay. Returns git's message if it fails. */
export async function stageNested(
  folder: string,
  {
    nested,
    parent,
    ignored,
    own,
  }: {
    readonly nested: readonly BytePath[];
    readonly parent: string;
    readonly own: Own;
    ignored(paths: readonly BytePath[]): Promise<ReadonlySet<BytePath>>;
  },
): Promise<string | undefined> {
  if (nested.length === 0) return undefined;
  const literal = { env: { ...own.env, GIT_LITERAL_PATHSPECS: "1" } };
  const names = nested.map(shown);
  const submodules = new Set(await linksIn(folder, ["ls-tree", "-z", parent, "--", ...names], literal));
  const links = await linksIn(folder, ["ls-files", "--stage", "-z", "--", ...names], literal);
  const wrong = links.filter((path) => !submodules.has(path));
  const failed = await updateIndex(folder, ["--force-remove"], { paths: wrong, own });
  if (failed !== undefined) return failed;
  const taken = nested.filter((path) => !submodules.has(path));
  const found = taken.flatMap((path) => filesBelow(folder, path, (each) => !isInGit(each)));
  const left = await ignored(found);
  const tracked = namesIn(await gitBytes(folder, ["ls-files", "-z", "--", ...names], literal));
  const files = new Set([...found.filter((path) => !left.has(path)), ...tracked]);
  const paths = [...files].filter((path) => !submodules.has(path));
  return updateIndex(folder, ["--add", "--remove"], { paths, own });
}

/** The files of a nested repository that no snapshot has: its `.git` and the ignored files. */
export async function unstagedIn(
  folder: string,
  nested: BytePath,
  ignored: (paths: readonly BytePath[]) => Promise<ReadonlySet<BytePath>>,
): Promise<readonly BytePath[]> {
  const files = filesBelow(folder, nested, () => true);
  const left = await ignored(files.filter((path) => !isInGit(path)));
  return files.filter((path) => isInGit(path) || left.has(path));
}

/** Stages files of `.git` folders as `dot-git`, because a tree cannot contain the name `.git`. */
export async function stageGitFolders(folder: string, paths: readonly BytePath[], own: Own): Promise<void> {
  if (paths.length === 0) return;
  const broken = paths.find((path) => path.includes("\n"));
  if (broken !== undefined)
    throw new CheckoutFault(`${quoted(shown(broken))} has a line break in its name: rename it`);
  const links = paths.filter((path) => lstatSync(onDisk(folder, path)).isSymbolicLink());
  const files = paths.filter((path) => !links.includes(path));
  const input = Buffer.from(files.map((path) => `${path}\n`).join(""), "latin1");
  const words = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  const ids = files.length === 0 ? [] : (await git(folder, words, { ...own, input })).split("\n");
  const entries = files.map((path, at) => `${modeAt(folder, path)} ${ids[at]}\t${stored(path)}\0`);
  // Links are staged as links, because a target may be the user's own file.
  for (const path of links) {
    const target = readlinkSync(onDisk(folder, path), { encoding: "buffer" });
    const id = await git(folder, ["hash-object", "-w", "--stdin"], { ...own, input: target });
    entries.push(`120000 ${id}\t${stored(path)}\0`);
  }
  const listed = Buffer.from(entries.join(""), "latin1");
  await git(folder, ["update-index", "-z", "--index-info"], { ...own, input: listed });
}

function stored(path: BytePath): BytePath {
  return path.replace(/(^|\/)\.git(?=\/|$)/gi, "$1dot-git");
}

function modeAt(folder: string, path: BytePath): string {
  return (lstatSync(onDisk(folder, path)).mode & 0o100) === 0 ? "100644" : "100755";
}

function filesBelow(folder: string, start: BytePath, wants: (path: BytePath) => boolean): BytePath[] {
  const files: BytePath[] = [];
  walkTree(folder, start, {
    enter: wants,
    entry: (path, entry) => {
      if ((entry.isFile() || entry.isSymbolicLink()) && wants(path)) files.push(path);
    },
    closed: (path, why) => {
      throw new CheckoutFault(closedText(shown(path), why));
    },
  });
  return files;
}

/** The submodules in a listing of modes, ids and paths. */
async function linksIn(folder: string, words: readonly string[], own: Own): Promise<readonly BytePath[]> {
  return namesIn(await gitBytes(folder, words, own)).flatMap((line) =>
    line.startsWith("160000 ") ? [line.slice(line.indexOf("\t") + 1)] : [],
  );
}

/** `git add` cannot be used: it skips files in nested repositories. */
export async function updateIndex(
  folder: string,
  words: readonly string[],
  { paths, own }: { readonly paths: readonly BytePath[]; readonly own: Own },
): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const all = ["update-index", ...words, "-z", "--stdin"];
  const { exit, stderr } = await tryGit(folder, all, { ...own, input });
  return exit === 0 ? undefined : stderr;
}

function namesIn(bytes: Buffer): BytePath[] {
  return splitAtZero(bytes).map((name) => name.toString("latin1"));
}
