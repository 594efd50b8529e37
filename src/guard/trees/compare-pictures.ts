import type { BytePath } from "../../workspace/git/byte-path.ts";
import { compareTrees } from "../../workspace/git/tree-entries.ts";
import { isSameCopy } from "./copies.ts";
import { fromRoot, type Picture, prefixOf, type Seen } from "./picture.ts";

/** One path that has changed. */
export interface Change {
  readonly path: BytePath;
  /** Undefined: unchanged from the commit, or absent. */
  readonly before: Seen | undefined;
  readonly after: Seen;
  /** Why it is not put back. */
  readonly why?: string;
}

interface Compared {
  readonly before: Picture;
  readonly after: Picture;
  /** Looks at a path that is only in the earlier picture. */
  look(path: BytePath): Seen;
  /** Marks of the paths that Lockstep itself put back in the meantime. */
  readonly putBack: ReadonlyMap<BytePath, string>;
  /** The folder of the copies. */
  readonly folder: string;
}

/** The clock of a file system may be a few milliseconds behind. */
const clockMs = 50;

export async function changesBetween(compared: Compared): Promise<readonly Change[]> {
  const { before, after, look, putBack } = compared;
  const changes = new Map<BytePath, Change>();
  for (const path of new Set([...Object.keys(before.paths), ...Object.keys(after.paths)])) {
    const change = { path, before: before.paths[path], after: after.paths[path] ?? look(path) };
    if (putBack.get(path) === change.after.mark) continue;
    if (isWritten(change, compared))
      changes.set(path, isOlder(change, before) ? { ...change, why: older } : change);
    else if (isRestaged(change)) changes.set(path, { ...change, why: "only git's index has changed" });
  }
  // A merge changes files without leaving anything for `git status` to show. A person may have moved the branch.
  for (const path of await movedPaths(before, after)) {
    const change = { path, before: before.paths[path], after: after.paths[path] ?? look(path) };
    changes.set(path, { ...change, why: `HEAD was moved from ${short(before)} to ${short(after)}` });
  }
  return [...changes.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function isRestaged({ before, after }: Change): boolean {
  return stagedIn(before) !== stagedIn(after);
}

function stagedIn(seen: Seen | undefined): string {
  return seen?.letters.slice(0, 1).replace(/[ ?]/, "") ?? "";
}

/** Programs cannot set a file's ctime, so a new file with an older ctime existed elsewhere before. */
function isOlder({ before, after }: Change, { atMs }: Picture): boolean {
  const isUntracked = after.letters === "" || after.letters === "??";
  return before === undefined && isUntracked && after.changedMs < atMs - clockMs;
}

const older = "it is older than the call: it was moved there, or ignored before";

function isWritten({ before, after }: Change, { folder }: Compared): boolean {
  if (before?.mark === after.mark) return false;
  if (before === undefined || before.mode !== after.mode) return true;
  return before.copy === null || after.copy === null || !isSameCopy(folder, before.copy, after.copy);
}

async function movedPaths(before: Picture, after: Picture): Promise<readonly BytePath[]> {
  if (before.head === after.head || before.head === null || after.head === null) return [];
  const below = prefixOf(before.root);
  const moved = await compareTrees(before.root, before.head, after.head);
  return moved.map(({ path }) => fromRoot(below, path));
}

function short({ head }: Picture): string {
  return head?.slice(0, 12) ?? "nothing";
}
