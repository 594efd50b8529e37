import type { BytePath } from "./byte-path.ts";
import { GitFault } from "./git-fault.ts";
import { readObject } from "./object-reader.ts";
import { RecentValues } from "./recent-values.ts";
import { gitBytes } from "./run-git.ts";

/** One name in a folder of a commit. */
export interface TreeEntry {
  /** As git lists it: `100644`, `100755`, `120000` a link, `160000` a submodule, `040000` a folder. */
  readonly mode: string;
  readonly id: string;
}

/** A folder's entries. Names of subfolders end with a slash, which is also git's sort order. */
export type Folder = ReadonlyMap<BytePath, TreeEntry>;

type Listing = ReadonlyMap<BytePath, TreeEntry>;

/** A path whose entry differs between the two sides. */
export interface Difference {
  readonly path: BytePath;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

/** A commit's tree: its id, and the names at its top. */
export async function readTop(folder: string, commit: string) {
  const { id, entries } = await readFolder(folder, `${commit}^{tree}`);
  const names = [...entries.keys()].map((name) => Buffer.from(name.replace(/\/$/, ""), "latin1").toString());
  return { id, names: new Set(names) };
}

/** All entries except folders, by path, in git's order. */
export async function listTree(folder: string, commit: string): Promise<Listing> {
  const key = `${folder}\n${commit}`;
  const known = listings.get(key);
  if (known !== undefined) return known;
  const listing = (await listByFolder(folder, commit)) ?? (await listAtOnce(folder, commit));
  if (isFullId(commit)) listings.keep(key, listing);
  return listing;
}

/** Undefined if more folders have to be read than is worth it: git lists many of them sooner by itself. */
async function listByFolder(folder: string, commit: string): Promise<Listing | undefined> {
  const found: [BytePath, TreeEntry][] = [];
  let asked = 0;
  let level = [{ path: "", name: `${commit}^{tree}` }];
  while (level.length > 0) {
    asked += level.filter(({ name }) => !isKnown(name)).length;
    if (asked > foldersMax) return undefined;
    const read = await Promise.all(
      level.map(async ({ path, name }) => ({ path, entries: await entriesOf(folder, name) })),
    );
    level = [];
    for (const { path, entries } of read)
      for (const [name, entry] of entries)
        if (name.endsWith("/")) level.push({ path: path + name, name: entry.id });
        else found.push([path + name, entry]);
  }
  return new Map(found.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Each line of git is `MODE TYPE ID`, a tab and the path, and ends with a zero. */
async function listAtOnce(folder: string, commit: string): Promise<Listing> {
  const words = ["ls-tree", "-r", "-z", "--full-tree", commit];
  const text = (await gitBytes(folder, words)).toString("latin1");
  const listing = new Map<BytePath, TreeEntry>();
  for (let at = 0; at < text.length; ) {
    const [space, tab, end] = [text.indexOf(" ", at), text.indexOf("\t", at), text.indexOf("\0", at)];
    const mode = modeOf(Number.parseInt(text.slice(at, space), 8));
    const path = text.slice(tab + 1, end);
    if (listing.has(path) || path === "" || path.endsWith("/") || path.includes("//"))
      throw damaged(`the tree of ${commit} is damaged: run \`git fsck\``);
    listing.set(path, { mode, id: text.slice(text.indexOf(" ", space + 1) + 1, tab) });
    at = end + 1;
  }
  return listing;
}

/** The paths that differ between two commits or trees, in git's order. */
export async function compareTrees(
  folder: string,
  from: string | undefined,
  to: string,
): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  await compare(folder, { path: "", from: from && `${from}^{tree}`, to: `${to}^{tree}` }, found);
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

interface Pair {
  readonly path: BytePath;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

async function compare(folder: string, { path, from, to }: Pair, found: Difference[]): Promise<void> {
  const [before, after] = await Promise.all([entriesOf(folder, from), entriesOf(folder, to)]);
  const below: Pair[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old?.id === now?.id && old?.mode === now?.mode) continue;
    if (name.endsWith("/")) below.push({ path: path + name, from: old?.id, to: now?.id });
    else found.push({ path: path + name, before: old, after: now });
  }
  await Promise.all(below.map((pair) => compare(folder, pair, found)));
}

/** The entries at the top of a tree; none if there is no tree. */
export function listFolder(folder: string, tree: string | undefined): Promise<Folder> {
  return entriesOf(folder, tree && `${tree}^{tree}`);
}

async function entriesOf(folder: string, name: string | undefined): Promise<Folder> {
  if (name === undefined) return new Map();
  return recent.get(treeOf.get(name) ?? name) ?? (await readFolder(folder, name)).entries;
}

function isKnown(name: string): boolean {
  return recent.get(treeOf.get(name) ?? name) !== undefined;
}

export function isFullId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name);
}

async function readFolder(folder: string, name: string) {
  const object = await readObject(folder, name);
  if (object?.type !== "tree") throw damaged(`there is no tree ${name}`);
  const entries = recent.get(object.id) ?? parseFolder(object);
  recent.keep(object.id, entries);
  if (treeOf.size >= treesMax) treeOf.clear();
  if (/^[0-9a-f]{40,64}\^/.test(name)) treeOf.set(name, object.id);
  return { id: object.id, entries };
}

/** Each entry is `MODE NAME`, a zero and the bytes of the id. */
function parseFolder({ id: tree, bytes }: { readonly id: string; readonly bytes: Buffer }): Folder {
  const entries = new Map<BytePath, TreeEntry>();
  const idBytes = tree.length / 2;
  for (let at = 0; at < bytes.length; ) {
    const zero = bytes.indexOf(0, at);
    const space = bytes.indexOf(32, at);
    const mode = modeOf(Number.parseInt(bytes.toString("latin1", at, space), 8));
    const name = bytes.toString("latin1", space + 1, zero) + (mode === "040000" ? "/" : "");
    // With a duplicate name, git could check out another entry than the one that was examined.
    if (entries.has(name) || zero < space + 2) throw damaged(`tree ${tree} is damaged: run \`git fsck\``);
    entries.set(name, { mode, id: bytes.toString("hex", zero + 1, zero + 1 + idBytes) });
    at = zero + 1 + idBytes;
  }
  return entries;
}

/** Old tools wrote more modes than git distinguishes. */
function modeOf(mode: number): string {
  const kind = mode & 0o170000;
  if (kind === 0o100000) return (mode & 0o100) === 0 ? "100644" : "100755";
  return kind === 0o120000 ? "120000" : kind === 0o040000 ? "040000" : "160000";
}

function damaged(stderr: string): GitFault {
  return new GitFault(["cat-file"], { exit: 0, stderr });
}

/** Folders by id. Their content never changes, and most are the same from one commit to the next. */
const recent = new RecentValues<Folder>(16_000, ({ size }) => size);
/** By repository and commit. A landing lists the same few commits again and again. A listing belongs to its commit, so it stays true. */
const listings = new RecentValues<Listing>(100_000, ({ size }) => size);
/** So many folders are read one by one. */
const foldersMax = 50;
/** Tree ids by `COMMIT^{tree}`. */
const treeOf = new Map<string, string>();
const treesMax = 1_000;
