import { randomUUID } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BytePath, shown } from "../../workspace/git/byte-path.ts";
import type { Undone } from "../world/guard-world.ts";
import type { Change } from "./compare-pictures.ts";
import { filesOfCommit, type Wanted } from "./files-of-commit.ts";
import { keepStrayed } from "./keep-strayed.ts";
import { fileOf, markAt, outside, type Picture, plainFolders, type Scene, type Seen } from "./picture.ts";

interface PuttingBack {
  readonly scene: Scene;
  readonly before: Picture;
  /** The folder of the copies. */
  readonly folder: string;
  readonly task: string | null;
}

interface Restoring {
  readonly change: Change;
  readonly wanted: Wanted;
}

interface PutBack extends Undone {
  /** The marks of the paths after the restore. */
  readonly marks: readonly (readonly [BytePath, string])[];
}

/**
 * Restores paths to their earlier state, after their current state was kept on a ref (INV-9). Paths that cannot be kept,
 * or that were not copied before, are left unchanged.
 */
export async function putBack(changes: readonly Change[], into: PuttingBack): Promise<PutBack> {
  const { scene, before: picture } = into;
  const left: { path: string; why: string }[] = [];
  const scratch = mkdtempSync(join(tmpdir(), "lockstep-restore-"));
  try {
    const unlisted = changes.filter(({ before }) => before === undefined).map(({ path }) => path);
    const committed = await filesOfCommit(unlisted, { scene, picture, scratch });
    const restoring: Restoring[] = [];
    for (const change of changes) {
      const { path, before } = change;
      const wanted = before === undefined ? (committed.get(path) ?? null) : copyIn(into.folder, before);
      const why = whyLeft(change) ?? (wanted !== null && "why" in wanted ? wanted.why : undefined);
      if (why === undefined) restoring.push({ change, wanted: wanted as Wanted });
      else left.push({ path: shown(path), why });
    }
    if (restoring.length === 0) return { left, marks: [] };
    const ref = await keepStrayed(
      restoring.map(({ change }) => change),
      { ...into, head: picture.head, scratch },
    );
    const marks: [BytePath, string][] = [];
    // Remove first, then write: a folder may be where a file was, or a file where a folder was.
    for (const { change, wanted } of restoring.toSorted((one, other) => order(one) - order(other))) {
      const why = restore(change, wanted, scene);
      if (why === undefined) marks.push([change.path, markAt(scene, change.path)]);
      else left.push({ path: shown(change.path), why });
    }
    return { ref, left, marks };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function whyLeft({ path, after, why }: Change): string | undefined {
  if (why !== undefined) return why;
  if (path.startsWith(outside)) return "it is outside the project";
  return after.why === undefined ? undefined : `its current content cannot be kept: ${after.why}`;
}

function copyIn(folder: string, { mode, copy, why }: Seen): Wanted | { readonly why: string } {
  if (why !== undefined) return { why: `it was not copied before the call: ${why}` };
  return copy === null ? null : { file: Buffer.from(join(folder, copy)), mode };
}

function order({ wanted }: Restoring): number {
  return wanted === null ? 0 : 1;
}

/** Restores one path. Returns why the path was left, if it was. */
function restore({ path, after }: Change, wanted: Wanted, scene: Scene): string | undefined {
  if (markAt(scene, path) !== after.mark) return "it has changed again since";
  try {
    if (wanted === null) remove(path, scene);
    else write(path, wanted, scene);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `it cannot be written: ${code ?? message}`;
  }
}

/** A path behind a link is elsewhere and is not removed. Folders that become empty are removed too. */
function remove(path: BytePath, scene: Scene): void {
  if (!plainFolders(scene.root)(path)) return;
  rmSync(fileOf(scene, path), { force: true });
  for (let above = dirname(path); above !== "." && above !== ".git"; above = dirname(above))
    try {
      rmdirSync(fileOf(scene, above));
    } catch {
      return;
    }
}

function write(path: BytePath, { file: from, mode }: NonNullable<Wanted>, scene: Scene): void {
  if (!plainFolders(scene.root)(path)) throw new Error("a folder above it is a link or a file");
  const file = fileOf(scene, path);
  const above = file.subarray(0, file.lastIndexOf("/"));
  mkdirSync(above, { recursive: true });
  const made = Buffer.concat([above, Buffer.from(`/.lockstep-${randomUUID()}`)]);
  try {
    if ((mode & 0o170000) === 0o120000) symlinkSync(readFileSync(from), made);
    else {
      copyFileSync(from, made);
      chmodSync(made, mode & 0o7777);
    }
    if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(file);
    renameSync(made, file);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}
