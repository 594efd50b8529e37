import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { quoted } from "../../core/text/quoted.ts";
import { fileMark } from "../files/file-mark.ts";
import { isIdleGit } from "./lasting-git.ts";

const waitMsMaxDefault = 10_000;
const firstWaitMs = 20;
const longestWaitMs = 1_000;
/** On systems where processes cannot be inspected, a lock this old counts as stale. */
const ownerlessMs = 60_000;

/** A lock that another process may still hold. The message names the lock and the remedy. */
class LockFault extends Error {
  override readonly name = "LockFault";
  readonly code = "E-GIT";
  readonly retryable = true;
}

export interface StaleLocks {
  /** The folders in which a git that holds one of the locks would run: a checkout, a git folder. */
  readonly folders: readonly string[];
  readonly locks: readonly string[];
  readonly waitMsMax?: number;
}

/** Waits until git releases the locks, then removes those that no running git can hold, and returns them. */
export async function removeStaleLocks(
  { folders, locks, waitMsMax = waitMsMaxDefault }: StaleLocks,
  processes = "/proc",
): Promise<readonly string[]> {
  const deadline = performance.now() + waitMsMax;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const held = locks.filter((lock) => existsSync(lock));
    if (held.length === 0) return [];
    const seen = held.map((lock) => ({ lock, before: fileMark(lock) }));
    const owner = findOwner(processes, folders, held);
    if (owner === undefined)
      return seen.filter(({ lock, before }) => removeIf(lock, before)).map(({ lock }) => lock);
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new LockFault(`${quoted(held[0] ?? "", 300)} is held: ${owner}`);
    await sleep(Math.min(waitMs, leftMs));
  }
}

/** All lock files in a git folder. */
export function locksIn(gitFolder: string): readonly string[] {
  // ORIG_HEAD, index, packed-refs, config …: git locks every file that it replaces.
  const found = (existsSync(gitFolder) ? readdirSync(gitFolder, { withFileTypes: true }) : [])
    .filter((entry) => entry.isFile() && entry.name.endsWith(".lock"))
    .map((entry) => join(gitFolder, entry.name));
  const open = [join(gitFolder, "refs")];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.name.endsWith(".lock")) found.push(path);
    }
  }
  return found;
}

/** Removes the lock only if it is the one from before the process check: a newer lock has a newer owner. */
function removeIf(lock: string, before: string | undefined): boolean {
  if (before === undefined || fileMark(lock) !== before) return false;
  rmSync(lock, { force: true });
  return true;
}

/** The process that may hold a lock, and the remedy. */
function findOwner(
  processes: string,
  folders: readonly string[],
  locks: readonly string[],
): string | undefined {
  if (!existsSync(join(processes, "self"))) {
    const young = locks.some((lock) => ageMs(lock) < ownerlessMs);
    return young ? "it is too new to be stale, try again in a minute" : undefined;
  }
  const pid = gitAtWork(processes, folders);
  if (pid === undefined) return undefined;
  return `git is running there (process ${pid}), wait until it ends or stop it, then try again`;
}

function ageMs(lock: string): number {
  return Date.now() - (lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

/** The pid of this user's git that runs in one of the folders. */
function gitAtWork(processes: string, folders: readonly string[]): string | undefined {
  const uid = process.geteuid?.();
  const real = folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync.native(folder));
  return readdirSync(processes).find((pid) => {
    if (!/^\d+$/.test(pid) || isIdleGit(Number(pid))) return false;
    try {
      if (statSync(join(processes, pid)).uid !== uid) return false;
      if (!readFileSync(join(processes, pid, "comm"), "utf8").startsWith("git")) return false;
      if (isLockless(readFileSync(join(processes, pid, "cmdline"), "utf8"))) return false;
      const cwd = readlinkSync(join(processes, pid, "cwd"));
      return real.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`));
    } catch (error) {
      // Any other error means that the process has ended.
      return (error as NodeJS.ErrnoException).code === "EACCES";
    }
  });
}

const lockless: ReadonlySet<string> = new Set([
  "cat-file --batch-command",
  "hash-object --stdin-paths",
  "mktree --batch",
  "diff-tree --stdin",
]);

/**
 * One of Lockstep's own long-running git processes, which read or add objects and take no lock. A message or a file of
 * another command may have such a word too.
 */
function isLockless(commandLine: string): boolean {
  const [, ...words] = commandLine.split("\0");
  const at = words.findIndex((word, index) => index % 2 === 0 && word !== "-C" && word !== "-c");
  const [name, ...options] = words.slice(at);
  return options.some((option) => lockless.has(`${name} ${option}`));
}
