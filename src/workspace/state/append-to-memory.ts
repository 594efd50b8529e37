import { closeSync, constants, fsyncSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import { makePlainFolder, PlaceFault } from "../files/plain-folder.ts";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/** Appends to a file below the project's root. Links are refused. */
export function appendToMemory(
  root: string,
  file: string,
  text: string,
  { durable = false }: { readonly durable?: boolean } = {},
): void {
  makePlainFolder(root, dirname(file));
  let fd: number;
  try {
    fd = openSync(join(root, file), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    throw new PlaceFault(`${quoted(file, 300)} is a link: remove it`);
  }
  try {
    writeSync(fd, text);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
