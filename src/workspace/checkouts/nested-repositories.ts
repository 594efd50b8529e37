import { lstatSync, readlinkSync } from "node:fs";
import { quoted } from "../../core/text/quoted.ts";
import { splitAtZero } from "../git/read-diff.ts";
import { type GitOptions, git, gitBytes, tryGit } from "../git/run-git.ts";
import { CheckoutFault } from "./checkout.ts";
import { type BytePath, isOutput, onDisk, shown, sizeAt, walkTree } from "./walk-tree.ts";

/**
 * Git takes a repository inside another one for a submodule and leaves its files out. Here they are files like all
 * others, and its `.git` is kept under another name, so that nothing an agent made is lost with its checkout.
 */

type Own = Required<Pick<GitOptions, "env">>;

/** `sub/.git` itself and all that is below it. */
export function isInGit(path: BytePath): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(path);
}

/** The repositories among what is neither tracked nor ignored, wherever they lie. */
export async function untrackedRepositories(folder: string, own: Own): Promise<readonly BytePath[]> {
  const words = ["ls-files", "--others", "--exclude-standard", "-z"];
  return namesIn(await gitBytes(folder, words, own)).flatMap((path) =>
    path.endsWith("/") ? [path.slice(0, -1)] : [],
  );
}

/** The repositories around files of the index in folders of tools: they are looked through for nothing else. */
export async function trackedRepositories(folder: string, own: Own): Promise<readonly BytePath[]> {
  const tracked = namesIn(await gitBytes(folder, ["ls-files", "-z"], own)).filter(isOutput);
  const folders = new Set(tracked.flatMap(foldersAbove));
  return [...folders].filter((path) => sizeAt(folder, `${path}/.git`) !== undefined);
}

function foldersAbove(path: BytePath): readonly BytePath[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/**
 * Brings their files into the index as they are now. What the index has as a submodule of the project's stays.
 * Undefined, or what git says of its failure.
 */
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

/** The files of a repository in the checkout that no snapshot has: its `.git`, and what is ignored. */
export async function unstagedIn(
  folder: string,
  nested: BytePath,
  ignored: (paths: readonly BytePath[]) => Promise<ReadonlySet<BytePath>>,
): Promise<readonly BytePath[]> {
  const files = filesBelow(folder, nested, () => true);
  const left = await ignored(files.filter((path) => !isInGit(path)));
  return files.filter((path) => isInGit(path) || left.has(path));
}

/** Stages files of `.git` folders as `dot-git`: no tree can have the name itself. */
export async function stageGitFolders(folder: string, paths: readonly BytePath[], own: Own): Promise<void> {
  if (paths.length === 0) return;
  const strange = paths.find((path) => path.includes("\n"));
  if (strange !== undefined)
    throw new CheckoutFault(`${quoted(shown(strange))} has a line break in its name: rename it`);
  const links = paths.filter((path) => lstatSync(onDisk(folder, path)).isSymbolicLink());
  const files = paths.filter((path) => !links.includes(path));
  const input = Buffer.from(files.map((path) => `${path}\n`).join(""), "latin1");
  const words = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  const ids = files.length === 0 ? [] : (await git(folder, words, { ...own, input })).split("\n");
  const entries = files.map((path, at) => `${modeAt(folder, path)} ${ids[at]}\t${stored(path)}\0`);
  // What a link leads to may be a person's own.
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
    closed: (path) => {
      throw new CheckoutFault(`${quoted(shown(path))} cannot be read: \`chmod u+rx\` it`);
    },
  });
  return files;
}

/** The submodules that a listing of modes, ids and paths names. */
async function linksIn(folder: string, words: readonly string[], own: Own): Promise<readonly BytePath[]> {
  return namesIn(await gitBytes(folder, words, own)).flatMap((line) =>
    line.startsWith("160000 ") ? [line.slice(line.indexOf("\t") + 1)] : [],
  );
}

/** Not by `git add`, which passes over what lies in a repository of its own. */
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
