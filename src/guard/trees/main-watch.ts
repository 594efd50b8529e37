import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { protectedEntryOf } from "../../core/paths/protected-paths.ts";
import { type BytePath, shown } from "../../workspace/git/byte-path.ts";
import { callFile, readCallFile, sweepCallFiles, sweepFiles, writeCallFile } from "../world/call-file.ts";
import type { ReadOnlyPaths } from "../world/closed-paths.ts";
import type { TreeWatch } from "../world/guard-world.ts";
import { PendingCalls } from "../world/pending-calls.ts";
import { type Change, changesBetween } from "./compare-pictures.ts";
import { Copies, sweepCopies } from "./copies.ts";
import { moveAside } from "./move-aside.ts";
import { lookIn, type Picture, type Scene, takePicture } from "./picture.ts";
import { putBack } from "./put-back.ts";

type Remembered = Picture & { readonly readOnly?: ReadOnlyPaths };

/** Paths that Lockstep has put back, so that they are not attributed to another call. */
interface Restored {
  readonly root: string;
  readonly atMs: number;
  readonly marks: readonly (readonly [BytePath, string])[];
}

const restoredPrefix = "restored-";
const restoredMsMax = 24 * 60 * 60 * 1000;

/**
 * Watches the main checkout or a linked one, in which several agents and people work. Uncommitted files are copied before
 * a call, each state of a file once, so that changes outside the lock can be put back.
 */
export function mainWatch(
  place: Omit<Scene, "root">,
  { path, open: openFolder }: { readonly path: string; open(): string },
): TreeWatch {
  const seen = new Map<string, { readonly after: Picture; readonly changes: readonly Change[] }>();
  const sceneOf = (root: string): Scene => ({
    ...place,
    root,
    checkouts: place.checkouts.filter((one) => one !== root),
  });
  const recall = (name: string) => readCallFile<Remembered>(callFile(openFolder(), name));
  return {
    async remember(name, root, { readOnly, owner } = {}) {
      const folder = openFolder();
      const now = Date.now();
      const pending = new PendingCalls(folder);
      sweepCallFiles(folder, now, (file) => pending.needs(file));
      sweepFiles(folder, restoredPrefix, now - restoredMsMax);
      sweepCopies(folder, now);
      const picture = await takePicture(sceneOf(root), new Copies(folder));
      writeCallFile(callFile(folder, name), {
        ...picture,
        ...(readOnly === undefined ? {} : { readOnly }),
      } satisfies Remembered);
      if (owner !== undefined) pending.add(name, owner);
    },
    // Every call asks, so the folder is not opened for it: most of the time there is nothing to find.
    pending: (owner) => new PendingCalls(path).all().filter((call) => call.owner === owner),
    change: (name, change) => new PendingCalls(openFolder()).change(name, change),
    async compare(name) {
      const before = recall(name);
      if (before === undefined) return undefined;
      const folder = openFolder();
      const scene = sceneOf(before.root);
      const copies = new Copies(folder);
      const after = await takePicture(scene, copies);
      const restored = restoredSince(folder, before);
      const look = lookIn(scene, copies);
      const all = await changesBetween({ before, after, look, putBack: restored, folder });
      const { readOnly } = before;
      const changes = readOnly === undefined ? all : all.filter((change) => mayBeFromCall(change, readOnly));
      seen.set(name, { after, changes });
      const paths = changes.map(({ path }) => shown(path));
      return { paths, sinceMs: before.atMs };
    },
    async undo(name, paths, task) {
      const before = recall(name);
      const strayed = new Set(paths);
      const changes = seen.get(name)?.changes.filter(({ path }) => strayed.has(shown(path)));
      if (before === undefined || changes === undefined)
        throw new Error("the recorded state of the checkout is missing");
      const folder = openFolder();
      const scene = sceneOf(before.root);
      const undone = moveAside(await putBack(changes, { scene, before, folder, task }), changes, {
        scene,
        folder,
      });
      const restored: Restored = { root: before.root, atMs: Date.now(), marks: undone.marks };
      writeCallFile(join(folder, `${restoredPrefix}${randomUUID()}`), restored);
      return undone;
    },
    forget(name) {
      rmSync(callFile(openFolder(), name), { force: true });
      new PendingCalls(openFolder()).drop(name);
    },
  };
}

/**
 * In the sandbox a call can only have created new files in folders that were not read-only, or changed paths that
 * cannot be mounted. All other changes come from other processes. Files that clients or Lockstep obey count even if git
 * ignores them.
 */
function mayBeFromCall({ path, before, after }: Change, { closed, unmountable }: ReadOnlyPaths): boolean {
  const name = shown(path);
  if (unmountable.includes(name)) return true;
  if (before !== undefined || after.mode === 0) return false;
  if (closed.some((one) => name === one || name.startsWith(`${one}/`))) return false;
  return after.letters === "??" || protectedEntryOf(name, { tree: false }) !== undefined;
}

/** Two overlapping calls both see each other's changes. The second must not undo what was put back for the first. */
function restoredSince(folder: string, { root, atMs }: Picture): ReadonlyMap<BytePath, string> {
  const names = readdirSync(folder).filter((name) => name.startsWith(restoredPrefix));
  const all = names.flatMap((name) => readCallFile<Restored>(join(folder, name)) ?? []);
  const since = all.filter((one) => one.root === root && one.atMs >= atMs);
  return new Map(since.toSorted((one, other) => one.atMs - other.atMs).flatMap(({ marks }) => marks));
}
