import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { makeAnew } from "../files/make-anew.ts";
import { removeFolder } from "../files/remove-folder.ts";
import { onDisk } from "../git/byte-path.ts";
import { settingsIn } from "../git/known-settings.ts";
import { splitAtZero } from "../git/read-diff.ts";
import { type GitOptions, gitBytes, tryGit } from "../git/run-git.ts";
import { isWritable, trackedIn } from "../git/sweep-tree.ts";
import { compareTrees } from "../git/tree-entries.ts";
import { checkoutsFolder } from "../state/state-home.ts";
import { repositoryFolder } from "./checkout.ts";
import { deleteLater } from "./delete-later.ts";
import {
  type FolderStore,
  renameFirst,
  type StoredFolder,
  storedFolders,
  trimStore,
} from "./stored-folders.ts";
import { diskUse } from "./walk-tree.ts";

/**
 * Checkouts that their tasks no longer need. The next task takes one and moves it to its own base by the difference,
 * which costs a fraction of writing every file.
 *
 * What makes that safe: beside each checkout lies the index as it was when Lockstep had written the files and no agent
 * had seen them, with the time at which it was written. The system records when a file, its mode, its times or its links
 * were last changed, and no program can set that. What was changed after the index is deleted, and so is everything that
 * is not tracked, the whole `.git` included; git then writes what is missing or differs. A checkout in which anything
 * but agents in the sandbox has worked never gets here.
 */
const pristineName = "pristine";

interface Pristine {
  /** What the index was read from. */
  readonly commit: string;
  /** Everything besides the commit that decides what git writes. */
  readonly settings: string;
  /** When the last file was written, as the system recorded it. */
  readonly writtenMs: number;
}

/** Up to this, writing every file takes less time than to find out which ones can stay. */
const quickFiles = 250;
const quickBytes = 4_000_000;

/** Called when the files of a new checkout are written and before an agent sees them. A small one is not used again. */
export async function keepPristine(
  slot: string,
  { commit, commonFolder, index }: PristineOptions,
): Promise<void> {
  if (commit.length === sha1Length && isQuickToWrite(readFileSync(index))) return;
  copyFileSync(index, join(slot, pristineName));
  const writtenMs = statSync(index).ctimeMs;
  const pristine: Pristine = { commit, settings: await settingsOf(commonFolder), writtenMs };
  writeFileSync(join(slot, `${pristineName}.json`), JSON.stringify(pristine), { mode: 0o600 });
}

interface PristineOptions {
  readonly commit: string;
  readonly commonFolder: string;
  readonly index: string;
}

const sha1Length = 40;

/** Reads an index with SHA-1 ids. Git writes version 2 of it unless it is configured otherwise, for many files. */
function isQuickToWrite(index: Buffer): boolean {
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version !== 2 || count > quickFiles) return false;
  let bytes = 0;
  for (let at = 12, seen = 0; seen < count; seen += 1) {
    bytes += index.readUInt32BE(at + sizeAt);
    const length = index.indexOf(0, at + nameAt) - at;
    at += length + 8 - (length % 8);
  }
  return bytes <= quickBytes;
}

/** Where an entry of the index has the size of its file, and its name, which ends with up to 8 zero bytes. */
const sizeAt = 36;
const nameAt = 62;

export function poolFolder(commonFolder: string): string {
  return join(realpathSync.native(checkoutsFolder(commonFolder)), "pool");
}

/** Moves the files of a slot, of which everything was kept, into the pool. What is left of the slot is not needed. */
export function giveToPool(commonFolder: string, slot: string): void {
  const parts = ["tree", pristineName, `${pristineName}.json`];
  if (!parts.every((name) => existsSync(join(slot, name)))) return;
  const pool = poolFolder(commonFolder);
  const id = randomBytes(6).toString("hex");
  const half = join(pool, `${id}.half`);
  mkdirSync(half, { recursive: true, mode: 0o700 });
  for (const name of parts) renameSync(join(slot, name), join(half, name));
  // Whole from here on: a half that a crash leaves is deleted by the next command that looks.
  renameSync(half, join(pool, id));
}

export interface TakeOptions {
  readonly commonFolder: string;
  /** Where it is while it is prepared. */
  readonly slot: string;
  /** Where the files go, and the index that describes them. */
  readonly folder: string;
  readonly index: string;
  /** What will be checked out. */
  readonly start: string;
  own(): Promise<Required<Pick<GitOptions, "env">>>;
}

/** Takes a checkout from the pool: its tracked files, and the index that tells which of them to trust. */
export async function takeFromPool(options: TakeOptions): Promise<boolean> {
  const { commonFolder, slot } = options;
  for (;;) {
    const pooled = claim(commonFolder, join(slot, `pooled-${randomBytes(4).toString("hex")}`));
    if (pooled === undefined) return false;
    try {
      if (await bring(pooled, options)) return true;
    } finally {
      deleteLater([pooled]);
    }
  }
}

async function bring(pooled: string, options: TakeOptions): Promise<boolean> {
  const { commonFolder, folder, index, start } = options;
  const tree = join(pooled, "tree");
  const text = readFileSync(join(pooled, `${pristineName}.json`), "utf8");
  const { commit, settings, writtenMs } = JSON.parse(text) as Pristine;
  if (settings !== (await settingsOf(commonFolder)) || isInUse(tree)) return false;
  if (await changesAttributes(commonFolder, commit, start)) return false;
  renameSync(tree, folder);
  renameSync(join(pooled, pristineName), index);
  strip(folder, await trackedBy(folder, await options.own()), writtenMs);
  return true;
}

/** True if the files are what the index says: nothing on the disk differs from it. */
export async function isAsIndexed(folder: string, own: Required<Pick<GitOptions, "env">>): Promise<boolean> {
  return (await tryGit(folder, ["diff-files", "--quiet", "--ignore-submodules"], own)).exit === 0;
}

/** Removes the oldest until the rest fits, and what a crash left. */
export function trimPool(commonFolder: string, bytesMax: number): void {
  let bytes = 0;
  const evicted = listPool(commonFolder).filter(({ folder }) => {
    bytes += bytesIn(folder);
    return bytes > bytesMax;
  });
  trimStore(
    poolOf(commonFolder),
    evicted.map(({ folder }) => folder),
  );
}

/** The newest first. */
export function listPool(commonFolder: string): readonly StoredFolder[] {
  return storedFolders(poolOf(commonFolder));
}

/** Names of checkouts that are half in the pool, or half deleted, have a dot. */
function poolOf(commonFolder: string): FolderStore {
  return { folder: poolFolder(commonFolder), isEntry: (name) => !name.includes(".") };
}

/** What a pooled checkout takes on the disk; counted once, because nothing in the pool changes. 0 if it was just taken. */
function bytesIn(folder: string): number {
  const file = join(folder, "bytes");
  try {
    if (existsSync(file)) return Number(readFileSync(file, "utf8"));
    const bytes = diskUse(folder);
    writeFileSync(file, String(bytes), { mode: 0o600 });
    return bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return 0;
  }
}

/** The newest one that no other process takes at the same moment. */
function claim(commonFolder: string, to: string): string | undefined {
  return listPool(commonFolder).some(({ folder }) => renameFirst(folder, to)) ? to : undefined;
}

/** The configuration with all that it includes, and the attributes that are not in a commit. */
async function settingsOf(commonFolder: string): Promise<string> {
  const root = repositoryFolder(commonFolder);
  const settings = await settingsIn(root);
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const named = lastValue(settings, "core.attributesfile");
  const files = [
    join(commonFolder, "info", "attributes"),
    named === undefined ? join(config, "git", "attributes") : fromHome(root, named),
    "/etc/gitattributes",
  ];
  const hash = createHash("sha256").update(settings.join("\0"));
  for (const file of files) hash.update(`\0${isFile(file) ? readFileSync(file, "latin1") : ""}\0`);
  return hash.digest("hex");
}

function lastValue(settings: readonly string[], name: string): string | undefined {
  return settings.findLast((setting) => setting.startsWith(`${name}\n`))?.slice(name.length + 1);
}

/** A path in git's configuration. */
function fromHome(root: string, path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(root, path);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** An attribute can change how a file is written whose content stays the same. */
async function changesAttributes(commonFolder: string, from: string, to: string): Promise<boolean> {
  if (from === to) return false;
  const differences = await compareTrees(repositoryFolder(commonFolder), from, to);
  return differences.some(({ path }) => /(?:^|\/)\.git(?:attributes|modules)$/.test(path));
}

/** Whether a process works in a folder or has a file in it open; true where that cannot be known. */
function isInUse(folder: string): boolean {
  if (!existsSync("/proc/self/cwd")) return true;
  const isInside = (path: string) => path === folder || path.startsWith(`${folder}/`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const links = ["cwd", "root", ...namesIn(`/proc/${pid}/fd`).map((fd) => `fd/${fd}`)];
      return links.some((link) => isInside(targetOf(`/proc/${pid}/${link}`)));
    });
}

/** Empty for a process that has ended, and for one of another user. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

async function trackedBy(folder: string, own: Required<Pick<GitOptions, "env">>) {
  const listed = splitAtZero(await gitBytes(folder, ["ls-files", "-z", "--stage"], own));
  const entries = listed.map((line) => {
    const text = line.toString("latin1");
    return [text.slice(text.indexOf("\t") + 1), { mode: text.slice(0, 6) }] as const;
  });
  return trackedIn(new Map(entries));
}

/** Deletes all that is not a tracked file as it was at a time, and makes folders anew that were changed since. */
function strip(folder: string, { modes, folders }: ReturnType<typeof trackedIn>, writtenMs: number): void {
  const permitted = 0o777 & ~process.umask();
  const open = [{ above: "", isChanged: true }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { above, isChanged } = next;
    const path = above === "" ? Buffer.from(folder) : onDisk(folder, above);
    if ((lstatSync(path).mode & 0o7777) !== permitted) chmodSync(path, permitted);
    for (const entry of readdirSync(path, { withFileTypes: true, encoding: "latin1" })) {
      const below = above === "" ? entry.name : `${above}/${entry.name}`;
      const isNewer = lstatSync(onDisk(folder, below)).ctimeMs > writtenMs;
      if (folders.has(below) && entry.isDirectory()) open.push({ above: below, isChanged: isNewer });
      else if (isNewer || !isWritable(modes.get(below), entry)) removeFolder(onDisk(folder, below));
    }
    if (isChanged) makeAnew(path); // git writes the moved files again, because their times differ
  }
}
