import { closeSync, constants, lstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { quoted } from "../core/points/quoted.ts";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Adds to a file below the project's root. A branch may have brought a link to somewhere else in its place or on
 * the way to it: then nothing is written.
 */
export function appendToMemory(root: string, file: string, text: string): void {
  let folder = root;
  for (const name of dirname(file).split("/")) {
    folder = join(folder, name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(folder);
    else if (!found.isDirectory()) throw new MemoryFault(`${quoted(folder, 300)} is no folder: remove it`);
  }
  let fd: number;
  try {
    fd = openSync(join(root, file), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    throw new MemoryFault(`${quoted(file, 300)} is a link: remove it`);
  }
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

class MemoryFault extends Error {
  override readonly name = "MemoryFault";
  readonly code = "E-GIT";
}
