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
import { type BytePath, shown } from "../../workspace/checkouts/walk-tree.ts";
import type { Undone } from "../world/guard-world.ts";
import type { Change } from "./compare-pictures.ts";
import { filesOfCommit, type Wanted } from "./files-of-commit.ts";
import { keepStrayed } from "./keep-strayed.ts";
import { fileOf, markAt, outside, type Picture, plainFolders, type Scene, type Seen } from "./picture.ts";

interface PuttingBack {
  readonly scene: Scene;
  readonly before: Picture;
  /** Where the copies lie. */
  readonly folder: string;
  readonly task: string | null;
}

interface Restoring {
  readonly change: Change;
  readonly wanted: Wanted;
}

interface PutBack extends Undone {
  /** What the paths are now. */
  readonly marks: readonly (readonly [BytePath, string])[];
}

/**
 * Makes paths again what they were, once what they are now is kept on a ref (INV-9). What cannot be kept, and what was
 * not copied before, stays as it is.
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
    // Everything goes before anything comes: a folder may lie where a file was, or a file where a folder was.
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
  if (path.startsWith(outside)) return "it lies outside the project";
  return after.why === undefined ? undefined : `what is there now cannot be kept, ${after.why}`;
}

function copyIn(folder: string, { mode, copy, why }: Seen): Wanted | { readonly why: string } {
  if (why !== undefined) return { why: `it was not copied before, ${why}` };
  return copy === null ? null : { file: Buffer.from(join(folder, copy)), mode };
}

function order({ wanted }: Restoring): number {
  return wanted === null ? 0 : 1;
}

/** Why it was left, after all. */
function restore({ path, after }: Change, wanted: Wanted, scene: Scene): string | undefined {
  if (markAt(scene, path) !== after.mark) return "it was changed again since";
  try {
    if (wanted === null) remove(path, scene);
    else write(path, wanted, scene);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `it cannot be written, ${code ?? message}`;
  }
}

/** What lies behind a link is somewhere else. A folder goes with the last file in it. */
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
  if (!plainFolders(scene.root)(path)) throw new Error("a link or a file lies above it");
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
