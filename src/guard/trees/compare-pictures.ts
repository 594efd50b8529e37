import type { BytePath } from "../../workspace/checkouts/walk-tree.ts";
import { compareTrees } from "../../workspace/git/tree-entries.ts";
import { isSameCopy } from "./copies.ts";
import { fromRoot, type Picture, prefixOf, type Seen } from "./picture.ts";

/** One path that is not what it was. */
export interface Change {
  readonly path: BytePath;
  /** Undefined: as the commit has it, or nothing. */
  readonly before: Seen | undefined;
  readonly after: Seen;
  /** Why it is not to be put back. */
  readonly why?: string;
}

interface Compared {
  readonly before: Picture;
  readonly after: Picture;
  /** Of a path that is listed before alone. */
  look(path: BytePath): Seen;
  /** What a path was made by Lockstep itself meanwhile. */
  readonly putBack: ReadonlyMap<BytePath, string>;
  /** The folder of the copies. */
  readonly folder: string;
}

/** The clock of a file system is a few milliseconds behind. */
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
  // A merge leaves nothing behind that a status would show. Who moved the branch may be a person.
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

/** Nobody can set the time at which the system took note of a change: such a file was somewhere before. */
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
