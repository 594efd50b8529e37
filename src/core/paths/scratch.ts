import { locate } from "./locate.ts";
import type { Disk, Place } from "./place.ts";

export interface Scratch {
  readonly place: Place;
  readonly disk: Disk;
  /** Absolute folders that anyone may write. */
  readonly scratch: readonly string[];
  /** Absolute folders that are nobody's scratch, wherever they lie: other checkouts, Lockstep's own. */
  readonly closed?: readonly string[];
}

/** The project is never scratch, wherever it lies; nor is a repository's own folder, which git takes orders from. */
export function isScratch(path: string, { place, disk, scratch, closed = [] }: Scratch): boolean {
  const real = disk.realPath(path);
  return [path, real].every((spelling) => {
    const located = locate(spelling, place);
    if (located.where !== "outside" || located.path.includes("/.git/")) return false;
    // The innermost decides: an agent's temporary folder may lie beside its closed checkout.
    return depthIn(scratch, located.path) > depthIn(closed, located.path);
  });
}

/** The length of the longest folder that holds the path; 0 where none does. */
function depthIn(folders: readonly string[], path: string): number {
  const holding = folders.filter((folder) => path === folder || path.startsWith(`${folder}/`));
  return Math.max(0, ...holding.map((folder) => folder.length));
}
