import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../core/text/quoted.ts";

/**
 * A folder below the project's root, made where it is missing. A branch may have brought a link to somewhere else
 * on the way to it: then nothing is made.
 */
export function makePlainFolder(root: string, path: string): string {
  let folder = root;
  for (const name of path.split("/")) {
    folder = join(folder, name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(folder);
    else if (!found.isDirectory()) throw new PlaceFault(`${quoted(folder, 300)} is no folder: remove it`);
  }
  return folder;
}

/** Something else lies where Lockstep keeps a file. */
export class PlaceFault extends Error {
  override readonly name = "PlaceFault";
  readonly code = "E-GIT";
}
