import { existsSync, rmSync } from "node:fs";
import { sessionsFolder } from "../../core/names/session-paths.ts";
import { quoted } from "../../core/text/quoted.ts";
import { asBytes, type BytePath, shown } from "../git/byte-path.ts";
import { GitFault } from "../git/git-fault.ts";
import { type ChangedPath, readDiff, splitAtZero } from "../git/read-diff.ts";
import { git, tryGit } from "../git/run-git.ts";
import { removeStaleLocks } from "../git/stale-locks.ts";
import { readTop } from "../git/tree-entries.ts";
import { type Checkout, CheckoutFault, ownIndex, refuseReplaced, repositoryFolder } from "./checkout.ts";
import { installedIn } from "./copy-dependencies.ts";
import { knownIndex, rememberIndex } from "./known-index.ts";
import {
  isInGit,
  repositoriesAmong,
  stageNested,
  trackedIn,
  untrackedRepositories,
} from "./nested-repositories.ts";
import { ownGit } from "./own-git.ts";
import { closedText, isOutput, liesBehindLink, sizeAt, walkTree } from "./walk-tree.ts";

type Own = Awaited<ReturnType<typeof ownGit>>;

export interface Snapshot {
  readonly tree: string;
  /** The differences to the parent commit. */
  readonly changed: readonly ChangedPath[];
  /** Folders that are git repositories of their own. The tree has their files, but such work cannot be merged. */
  readonly nested: readonly string[];
}

/** Paths that are not part of a commit: the sessions' folder. */
export const excludedByDefault: readonly string[] = [sessionsFolder];

export interface SnapshotOptions {
  readonly parent: string;
  readonly exclude?: readonly string[];
  /** A separate index file for read-only snapshots, so that they do not contend with the attempt's index. */
  readonly index?: string;
}

/**
 * Writes the working tree as a tree of the repository: the files that `parent` tracks and those that are not ignored. The
 * index does not change the result; it only saves reading unchanged files.
 */
export async function snapshotTree(
  checkout: Checkout,
  { parent, exclude = excludedByDefault, index = ownIndex(checkout) }: SnapshotOptions,
): Promise<Snapshot> {
  const { folder } = checkout;
  refuseReplaced(folder);
  if (!existsSync(folder))
    throw new CheckoutFault(
      `the checkout ${quoted(folder, 300)} is missing: open it again, it is restored from the kept work`,
    );
  // This comes first: git blocks for ever on a pipe at the path of a file that it reads.
  const found = findObstacles(folder);
  const own = await ownGit(checkout, { index });
  await fillIndex(checkout, { parent, index, own });
  await refuseClosed(folder, found, own);
  const left = leftOut(checkout, exclude).map(asBytes);
  const nested = new Set(
    (await notIgnored(folder, found.nested, own)).filter((path) => !isBelow(left, path)),
  );
  const stage = () => stageAll(checkout, { excluded: left, nested: [...nested], parent, own });
  let staged = await stage();
  // Nested repositories in output folders, which are not searched.
  const more = "failed" in staged ? await untrackedRepositories(folder, own) : newLinks(staged.changed);
  if (more.some((path) => !nested.has(path))) {
    for (const path of more) nested.add(path);
    staged = await stage();
  }
  if ("failed" in staged)
    throw new CheckoutFault(`the work in ${quoted(folder, 300)} cannot be read: ${cause(staged.failed)}`);
  const links = newLinks(staged.changed);
  if (links.length > 0) throw submoduleFault(links.map(shown));
  rememberIndex(index, { parent, tree: staged.tree });
  return { ...staged, nested: [...nested].map(shown).toSorted() };
}

interface Staging {
  readonly excluded: readonly BytePath[];
  readonly nested: readonly BytePath[];
  readonly parent: string;
  readonly own: Own;
}

async function stageAll(
  { commonFolder, folder }: Checkout,
  { excluded, nested, parent, own }: Staging,
): Promise<Omit<Snapshot, "nested"> | { readonly failed: string }> {
  const skipped = [...excluded, ...nested].flatMap((path) => without(shown(path)));
  const { exit, stderr } = await tryGit(folder, ["add", "--all", "--", ".", ...skipped], own);
  if (exit !== 0) return { failed: stderr };
  const cut = cutFolder(stderr);
  if (cut !== undefined) throw new CheckoutFault(closedText(cut, "too-deep"));
  const ignored = (paths: readonly BytePath[]) => ignoredOf(folder, paths, own);
  const failed = await stageNested(folder, { nested, parent, ignored, own });
  if (failed !== undefined) return { failed };
  const tree = await git(folder, ["write-tree"], own);
  return { tree, changed: await readDiff(repositoryFolder(commonFolder), parent, tree) };
}

/**
 * A folder of outputs, which are not searched before, that git has left out because its path is too long. Git only warns,
 * and its messages end after 4096 bytes, so that the reason can be missing.
 */
function cutFolder(stderr: string): string | undefined {
  return /^warning: could not open directory '(.*?)\/?(?:': File name too long|[^'\n]{999})$/m.exec(
    stderr,
  )?.[1];
}

/** Patterns that leave out a path. With a plain path, `git add` fails if the path is also ignored. */
function without(path: string): readonly string[] {
  const pattern = `:(exclude,top,glob)\\${path.replace(/(?<!^)[*?[\\]/g, "\\$&")}`;
  return [pattern, `${pattern}/**`];
}

function newLinks(changed: readonly ChangedPath[]): BytePath[] {
  const links = changed.filter(({ kind, status }) => kind === "submodule" && status !== "deleted");
  return links.map(({ path }) => asBytes(path));
}

/** A checkout in which nothing has changed since its last snapshot. */
export interface Unchanged {
  /** The tree of the snapshot. */
  readonly tree: string;
  /** The ignored files and folders. */
  readonly ignored: readonly BytePath[];
}

/** Undefined if something has changed since the last snapshot with this `parent`, or if that is not certain. */
export async function findUnchanged(
  checkout: Checkout,
  { parent, exclude = excludedByDefault }: SnapshotOptions,
): Promise<Unchanged | undefined> {
  const { folder } = checkout;
  const known = knownIndex(ownIndex(checkout));
  if (known?.parent !== parent) return undefined;
  const found = findObstacles(folder);
  const own = await ownGit(checkout);
  await refuseClosed(folder, found, own);
  // Of these, the listing below would leave out an ignored one that git does not recognise as a repository.
  if (found.nested.length > 0) return undefined;
  const left = leftOut(checkout, exclude).map(asBytes);
  const { exit, stdout, stderr } = await tryGit(folder, listing, own);
  if (exit !== 0 || cutFolder(stderr) !== undefined) return undefined;
  const ignored: BytePath[] = [];
  for (const entry of splitAtZero(stdout).map((one) => one.toString("latin1"))) {
    // The first letter compares the index with HEAD, which is not the checkout's.
    const [kind, path] = [entry.slice(0, 2), entry.slice(3)];
    if (kind === "!!") ignored.push(path);
    else if (kind[1] !== " " && (!isBelow(left, path) || hasRepository(folder, path))) return undefined;
  }
  return { tree: known.tree, ignored };
}

/** Whether a git repository lies at or below a path, wherever it is. */
function hasRepository(folder: string, start: BytePath): boolean {
  const path = start.replace(/\/$/, "");
  if (!sizeAt(folder, path)?.isDirectory()) return false;
  let isFound = false;
  walkTree(folder, path, {
    enter: () => !isFound,
    entry: (found) => {
      isFound ||= isInGit(found);
    },
    closed: () => {
      isFound = true; // not certain
    },
  });
  return isFound;
}

/** Lists what differs from the index, what is untracked and what is ignored, all by one process. */
const listing = [
  ...["status", "--porcelain=v1", "-z", "--ignored=traditional", "--untracked-files=normal"],
  ...["--no-renames", "--ignore-submodules=dirty", "--no-ahead-behind"],
];

function isBelow(folders: readonly BytePath[], path: BytePath): boolean {
  return folders.some((one) => path === one || path.startsWith(`${one}/`));
}

function leftOut({ folder, included }: Checkout, exclude: readonly string[]): readonly string[] {
  const left = [...exclude, ...Object.keys(included), ...installedIn(folder)];
  return left.filter((path) => !liesBehindLink(folder, path));
}

/** An unreadable index is created again: everything in it comes from the parent and the disk. */
async function fillIndex(
  checkout: Checkout,
  { parent, index, own }: { readonly parent: string; readonly index: string; readonly own: Own },
): Promise<void> {
  await removeStaleLocks({ folders: [checkout.folder], locks: [`${index}.lock`] });
  const known = knownIndex(index);
  const root = repositoryFolder(checkout.commonFolder);
  if (known?.parent === parent && known.tree === (await readTop(root, parent)).id) return;
  const words = ["read-tree", "--reset", parent];
  if ((await tryGit(checkout.folder, words, own)).exit === 0) return;
  rmSync(index, { force: true });
  await git(checkout.folder, words, own);
}

interface Obstacles {
  readonly nested: readonly BytePath[];
  readonly closed: ReadonlyMap<BytePath, "refused" | "too-deep">;
}

/** Finds what git would silently skip or block on: nested repositories, unreadable folders, pipes. */
function findObstacles(folder: string): Obstacles {
  const nested: BytePath[] = [];
  const closed: Map<BytePath, "refused" | "too-deep"> = new Map();
  walkTree(folder, "", {
    enter: (path) => !isInGit(path) && !isOutput(path),
    entry: (path, found) => {
      const name = found.name.toLowerCase();
      if (name === ".git" && path !== ".git") nested.push(path.slice(0, -5));
      const readByGit = name === ".gitignore" || name === ".gitattributes" || name === ".gitmodules";
      if (readByGit && !found.isFile() && !found.isSymbolicLink() && !found.isDirectory())
        throw new CheckoutFault(`${quoted(shown(path))} is not a regular file: remove it`);
    },
    closed: (path, why) => closed.set(path, why),
  });
  return { nested, closed };
}

async function refuseClosed(folder: string, { closed }: Obstacles, own: Own): Promise<void> {
  const unreadable = await notIgnored(folder, [...closed.keys()], own);
  const told = unreadable.slice(0, 5).map((path) => closedText(shown(path), closed.get(path) ?? "refused"));
  if (told.length > 0) throw new CheckoutFault(told.join("; "));
}

async function notIgnored(folder: string, paths: readonly BytePath[], own: Own): Promise<BytePath[]> {
  const ignored = await ignoredOf(folder, paths, own);
  return paths.filter((path) => !ignored.has(path));
}

export async function ignoredOf(
  folder: string,
  paths: readonly BytePath[],
  own: Own,
): Promise<ReadonlySet<BytePath>> {
  if (paths.length === 0) return new Set();
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const words = ["check-ignore", "--stdin", "-z"];
  const { exit, stdout, stderr } = await tryGit(folder, words, { ...own, input });
  if (exit !== 0 && exit !== 1) throw new GitFault(words, { exit, stderr });
  return new Set(splitAtZero(stdout).map((path) => path.toString("latin1")));
}

/** All nested repositories in the checkout that are not ignored. */
export async function nestedIn(folder: string, own: Own): Promise<readonly BytePath[]> {
  const found = await notIgnored(folder, findObstacles(folder).nested, own);
  const untracked = await untrackedRepositories(folder, own);
  return [...new Set([...found, ...untracked, ...repositoriesAmong(folder, await trackedIn(folder, own))])];
}

function submoduleFault(paths: readonly string[]): CheckoutFault {
  const why = "a task cannot change a submodule";
  return new CheckoutFault(`${list(paths)} is a submodule: ${why}, check out its previous commit`);
}

function list(paths: readonly string[]): string {
  return paths
    .slice(0, 5)
    .map((path) => quoted(path))
    .join(", ");
}

/** Git's error lines, without its warnings. */
function cause(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => /^(?:error|fatal):/.test(line));
  const why = lines.slice(0, 3).join("; ") || stderr.trim();
  return / filter '.*' failed/.test(why)
    ? `${why}; git-lfs is the only filter that runs on agents' files`
    : why;
}
