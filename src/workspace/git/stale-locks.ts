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

const waitMsMaxDefault = 10_000;
const firstWaitMs = 20;
const longestWaitMs = 1_000;
/** Where processes cannot be looked at, a lock this old has no owner. */
const ownerlessMs = 60_000;

/** A lock that somebody may still hold; the message names it and what to do. */
class LockFault extends Error {
  override readonly name = "LockFault";
  readonly code = "E-GIT";
  readonly retryable = true;
}

export interface StaleLocks {
  /** Where a git that holds one of the locks would be at work: a checkout, a git folder. */
  readonly folders: readonly string[];
  readonly locks: readonly string[];
  readonly waitMsMax?: number;
}

/** Waits for git to give the locks back, then removes those that no living git can hold: these are returned. */
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

/** The locks that a git may have left in a git folder. */
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

/** Only the lock that was there before the processes were looked at: a newer one has a newer owner. */
function removeIf(lock: string, before: string | undefined): boolean {
  if (before === undefined || fileMark(lock) !== before) return false;
  rmSync(lock, { force: true });
  return true;
}

/** Who may hold a lock, and what to do about it. */
function findOwner(
  processes: string,
  folders: readonly string[],
  locks: readonly string[],
): string | undefined {
  if (!existsSync(join(processes, "self"))) {
    const young = locks.some((lock) => ageMs(lock) < ownerlessMs);
    return young ? "it is too new to be left over, try again in a minute" : undefined;
  }
  const pid = gitAtWork(processes, folders);
  if (pid === undefined) return undefined;
  return `git works there (process ${pid}), wait until it has ended or end it, then try again`;
}

function ageMs(lock: string): number {
  return Date.now() - (lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

/** A process of this user that is a git and has its working folder in one of these. */
function gitAtWork(processes: string, folders: readonly string[]): string | undefined {
  const uid = process.geteuid?.();
  const real = folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder));
  return readdirSync(processes).find((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      if (statSync(join(processes, pid)).uid !== uid) return false;
      if (!readFileSync(join(processes, pid, "comm"), "utf8").startsWith("git")) return false;
      if (isLockless(readFileSync(join(processes, pid, "cmdline"), "utf8"))) return false;
      const cwd = readlinkSync(join(processes, pid, "cwd"));
      return real.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`));
    } catch (error) {
      // Otherwise it ended while it was looked at.
      return (error as NodeJS.ErrnoException).code === "EACCES";
    }
  });
}

/** One of Lockstep's own, which stays for a while and takes no lock: it reads objects, or adds them. */
function isLockless(commandLine: string): boolean {
  return commandLine.split("\0").some((word) => word === "--batch-command" || word === "--stdin-paths");
}
