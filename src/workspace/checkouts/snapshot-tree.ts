import { existsSync, rmSync } from "node:fs";
import { quoted } from "../../core/points/quoted.ts";
import { GitFault } from "../git/git-fault.ts";
import { type ChangedPath, readDiff, splitAtZero } from "../git/read-diff.ts";
import { git, tryGit } from "../git/run-git.ts";
import { removeStaleLocks } from "../git/stale-locks.ts";
import { readTop } from "../git/tree-entries.ts";
import { type Checkout, CheckoutFault, ownIndex, refuseReplaced, repositoryFolder } from "./checkout.ts";
import { knownIndex, rememberIndex } from "./known-index.ts";
import { ownGit } from "./own-git.ts";
import { asBytes, type BytePath, isOutput, liesBehindLink, shown, walkTree } from "./walk-tree.ts";

type Own = Awaited<ReturnType<typeof ownGit>>;

export interface Snapshot {
  readonly tree: string;
  /** What is other than in the commit that it was compared with. */
  readonly changed: readonly ChangedPath[];
}

/** Paths of the checkout that belong to no commit: the session's folder. */
export const excludedByDefault: readonly string[] = [".agents-work"];

export interface SnapshotOptions {
  readonly parent: string;
  readonly exclude?: readonly string[];
  /** Another than Lockstep's own for those who only look: they stand in nobody's way. */
  readonly index?: string;
}

/**
 * The working tree as a tree of the repository: what `parent` tracks and what is not ignored. It depends on these
 * two alone; the index only spares reading what did not change.
 */
export async function snapshotTree(
  checkout: Checkout,
  { parent, exclude = excludedByDefault, index = ownIndex(checkout) }: SnapshotOptions,
): Promise<Snapshot> {
  const { commonFolder, folder } = checkout;
  refuseReplaced(folder);
  if (!existsSync(folder))
    throw new CheckoutFault(`the checkout ${quoted(folder, 300)} is gone: open it again, from what was kept`);
  // First of all: git waits for ever for a pipe in the place of a file that it reads.
  const found = findObstacles(folder);
  const own = await ownGit(checkout, { index });
  await fillIndex(checkout, { parent, index, own });
  await refuseObstacles(folder, found, own);
  const left = leftOut(checkout, exclude);
  // Git fails where it is told to leave out what is ignored anyway.
  const excluded = await notIgnored(folder, left.map(asBytes), own);
  const words = [
    "add",
    "--all",
    "--",
    ".",
    ...excluded.map((path) => `:(exclude,top,literal)${shown(path)}`),
  ];
  const { exit, stderr } = await tryGit(folder, words, own);
  if (exit !== 0)
    throw new CheckoutFault(`the work in ${quoted(folder, 300)} cannot be read: ${cause(stderr)}`);
  const tree = await git(folder, ["write-tree"], own);
  const changed = await readDiff(repositoryFolder(commonFolder), parent, tree);
  const added = changed.filter(({ kind, status }) => kind === "submodule" && status !== "deleted");
  if (added.length > 0) throw nestedFault(added.map(({ path }) => path));
  rememberIndex(index, { parent, tree });
  return { tree, changed };
}

/** The tree of the last snapshot that was compared with `parent`, if nothing has changed in the checkout since. */
export async function unchangedTree(
  checkout: Checkout,
  { parent, exclude = excludedByDefault }: SnapshotOptions,
): Promise<string | undefined> {
  const { folder } = checkout;
  const known = knownIndex(ownIndex(checkout));
  if (known?.parent !== parent) return undefined;
  const found = findObstacles(folder);
  const own = await ownGit(checkout);
  await refuseObstacles(folder, found, own);
  const words = ["ls-files", "-z", "--modified", "--others", "--exclude-standard", "--directory"];
  const { exit, stdout } = await tryGit(folder, words, own);
  const left = leftOut(checkout, exclude).map(asBytes);
  const isLeftOut = (path: BytePath) => left.some((one) => path === one || path.startsWith(`${one}/`));
  const listed = splitAtZero(stdout).map((path) => path.toString("latin1"));
  return exit === 0 && listed.every(isLeftOut) ? known.tree : undefined;
}

function leftOut({ folder, included }: Checkout, exclude: readonly string[]): readonly string[] {
  return [...exclude, ...Object.keys(included)].filter((path) => !liesBehindLink(folder, path));
}

/** An index that cannot be read is made again; it holds nothing that the parent and the disk do not. */
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
  readonly closed: readonly BytePath[];
}

/** What git would pass over in silence, or wait for: nested repositories, closed folders, pipes. */
function findObstacles(folder: string): Obstacles {
  const nested: BytePath[] = [];
  const closed: BytePath[] = [];
  walkTree(folder, "", {
    enter: (path) => path !== ".git" && !isOutput(path),
    entry: (path, found) => {
      const name = found.name.toLowerCase();
      if (name === ".git" && path !== ".git") nested.push(path.slice(0, -5));
      const readByGit = name === ".gitignore" || name === ".gitattributes" || name === ".gitmodules";
      if (readByGit && !found.isFile() && !found.isSymbolicLink() && !found.isDirectory())
        throw new CheckoutFault(`${quoted(shown(path))} is no ordinary file: remove it`);
    },
    closed: (path) => closed.push(path),
  });
  return { nested, closed };
}

async function refuseObstacles(folder: string, { nested, closed }: Obstacles, own: Own): Promise<void> {
  const repositories = await notIgnored(folder, nested, own);
  if (repositories.length > 0) throw nestedFault(repositories.map(shown));
  const unreadable = await notIgnored(folder, closed, own);
  if (unreadable.length > 0)
    throw new CheckoutFault(`${list(unreadable.map(shown))} cannot be read: \`chmod u+rx\` it`);
}

async function notIgnored(folder: string, paths: readonly BytePath[], own: Own): Promise<BytePath[]> {
  if (paths.length === 0) return [];
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const words = ["check-ignore", "--stdin", "-z"];
  const { exit, stdout, stderr } = await tryGit(folder, words, { ...own, input });
  if (exit !== 0 && exit !== 1) throw new GitFault(words, { exit, stderr });
  const ignored = new Set(splitAtZero(stdout).map((path) => path.toString("latin1")));
  return paths.filter((path) => !ignored.has(path));
}

export function nestedFault(paths: readonly string[]): CheckoutFault {
  const why = "a nested repository cannot be merged";
  return new CheckoutFault(`${list(paths)} is a git repository of its own: ${why}, remove its \`.git\``);
}

function list(paths: readonly string[]): string {
  return paths
    .slice(0, 5)
    .map((path) => quoted(path))
    .join(", ");
}

/** The lines in which git says why, without its warnings. */
function cause(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => /^(?:error|fatal):/.test(line));
  const why = lines.slice(0, 3).join("; ") || stderr.trim();
  return / filter '.*' failed/.test(why)
    ? `${why}; of all filters, only git-lfs is run on agents' files`
    : why;
}
