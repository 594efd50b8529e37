import { locate } from "./locate.ts";
import type { Disk, Place } from "./place.ts";

export interface Scratch {
  readonly place: Place;
  readonly disk: Disk;
  /** Absolute folders that any agent may write. */
  readonly scratch: readonly string[];
  /** Absolute folders that never count as scratch: other checkouts, and Lockstep's own folders. */
  readonly closed?: readonly string[];
}

/** The project is never scratch, wherever it is; nor is a `.git` folder, because git runs hooks and settings from it. */
export function isScratch(path: string, { place, disk, scratch, closed = [] }: Scratch): boolean {
  const real = disk.realPath(path);
  return [path, real].every((spelling) => {
    const located = locate(spelling, place);
    if (located.where !== "outside" || located.path.includes("/.git/")) return false;
    // The innermost folder decides: an agent's temporary folder may be next to its closed checkout.
    return depthIn(scratch, located.path) > depthIn(closed, located.path);
  });
}

/** The length of the longest folder that contains the path; 0 if none does. */
function depthIn(folders: readonly string[], path: string): number {
  const holding = folders.filter((folder) => path === folder || path.startsWith(`${folder}/`));
  return Math.max(0, ...holding.map((folder) => folder.length));
}
