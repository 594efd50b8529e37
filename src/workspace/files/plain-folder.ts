import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../core/text/quoted.ts";

/** Creates a folder below the project's root. Refuses links on the way to it, which a branch may have added. */
export function makePlainFolder(root: string, path: string): string {
  let folder = root;
  for (const name of path.split("/")) {
    folder = join(folder, name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(folder);
    else if (!found.isDirectory()) throw new PlaceFault(`${quoted(folder, 300)} is not a folder: remove it`);
  }
  return folder;
}

/** Lockstep cannot write its file, because something else is at its path. */
export class PlaceFault extends Error {
  override readonly name = "PlaceFault";
  readonly code = "E-GIT";
}
