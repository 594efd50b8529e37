import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BytePath, shown } from "../../workspace/checkouts/walk-tree.ts";
import { readRef } from "../../workspace/git/refs.ts";
import type { TreeWatch } from "../guard-world.ts";
import { callFile, readCallFile, sweepCallFiles, sweepFiles, writeCallFile } from "./call-file.ts";
import { type Change, changesBetween } from "./compare-pictures.ts";
import { Copies, sweepCopies } from "./copies.ts";
import { lookIn, type Picture, type Scene, takePicture } from "./picture.ts";
import { putBack } from "./put-back.ts";

/** A picture before a call; or with `turn` one that the next call of that turn begins with, for a while. */
type Remembered = Picture & { readonly turn?: boolean; readonly carried?: boolean };

/** What Lockstep made of paths, and when: no other call did that. */
interface Restored {
  readonly root: string;
  readonly atMs: number;
  readonly marks: readonly (readonly [BytePath, string])[];
}

const restoredPrefix = "restored-";
/** An older picture tells more of what people did since than of what an agent left running. */
const turnMsMax = 10 * 60 * 1000;
const restoredMsMax = 24 * 60 * 60 * 1000;

/**
 * The main checkout, or a linked one, in which several agents and people work. What is uncommitted is copied before a
 * call, each state of a file once, so that what strayed can be put back as it was.
 */
export function mainWatch(place: Omit<Scene, "root">, openFolder: () => string): TreeWatch {
  const seen = new Map<string, { readonly after: Picture; readonly changes: readonly Change[] }>();
  const sceneOf = (root: string): Scene => ({
    ...place,
    root,
    checkouts: place.checkouts.filter((one) => one !== root),
  });
  const recall = (name: string) => {
    const found = readCallFile<Remembered>(callFile(openFolder(), name));
    return found?.turn === true && Date.now() - found.atMs > turnMsMax ? undefined : found;
  };
  const keep = (name: string, picture: Remembered) => writeCallFile(callFile(openFolder(), name), picture);
  return {
    async remember(name, root, turn) {
      const folder = openFolder();
      const now = Date.now();
      sweepCallFiles(folder, now);
      sweepFiles(folder, restoredPrefix, now - restoredMsMax);
      sweepCopies(folder, now);
      // What a process that an earlier call left running has written since is this turn's too.
      const last = turn === undefined ? undefined : recall(turn);
      if (last?.root === root && (await isAt(last))) {
        keep(name, { ...last, turn: false, carried: true });
        return;
      }
      const picture = await takePicture(sceneOf(root), new Copies(folder));
      keep(name, picture);
      if (turn !== undefined) keep(turn, { ...picture, turn: true });
    },
    async compare(name) {
      const before = recall(name);
      if (before === undefined) return undefined;
      const folder = openFolder();
      const scene = sceneOf(before.root);
      const copies = new Copies(folder);
      const after = await takePicture(scene, copies);
      const restored = restoredSince(folder, before);
      const look = lookIn(scene, copies);
      const changes = await changesBetween({ before, after, look, putBack: restored, folder });
      seen.set(name, { after, changes });
      const paths = changes.map(({ path }) => shown(path));
      return { paths, sinceMs: before.atMs, carried: before.carried === true || before.turn === true };
    },
    async undo(name, paths, task) {
      const before = recall(name);
      const strayed = new Set(paths);
      const changes = seen.get(name)?.changes.filter(({ path }) => strayed.has(shown(path)));
      if (before === undefined || changes === undefined)
        throw new Error("what the checkout held before is no longer known");
      const folder = openFolder();
      const undone = await putBack(changes, { scene: sceneOf(before.root), before, folder, task });
      const restored: Restored = { root: before.root, atMs: Date.now(), marks: undone.marks };
      writeCallFile(join(folder, `${restoredPrefix}${randomUUID()}`), restored);
      return undone;
    },
    forget(name, turn) {
      const last = seen.get(name)?.after;
      if (turn !== undefined && last !== undefined) keep(turn, { ...last, turn: true });
      rmSync(callFile(openFolder(), name), { force: true });
    },
  };
}

/** A branch that moved since was moved by a person: no command that an agent left running does that. */
async function isAt({ root, head }: Picture): Promise<boolean> {
  return ((await readRef(root, "HEAD")) ?? null) === head;
}

/** Two calls that ran at the same time both saw what one of them did, and the second must not undo its undoing. */
function restoredSince(folder: string, { root, atMs }: Picture): ReadonlyMap<BytePath, string> {
  const names = readdirSync(folder).filter((name) => name.startsWith(restoredPrefix));
  const all = names.flatMap((name) => readCallFile<Restored>(join(folder, name)) ?? []);
  const since = all.filter((one) => one.root === root && one.atMs >= atMs);
  return new Map(since.toSorted((one, other) => one.atMs - other.atMs).flatMap(({ marks }) => marks));
}
