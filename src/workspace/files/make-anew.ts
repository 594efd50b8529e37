import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";

/**
 * Moves what is in a folder to a new one in its place, with the same mode. The old one may have attributes and default
 * permissions, which Node cannot read and new files would inherit. A folder above it that is also made anew comes first,
 * because a new folder inherits them too. The system gives everything that is moved a new time of change.
 */
export function makeAnew(path: Buffer): void {
  const made = Buffer.concat([path, Buffer.from(`.${randomBytes(6).toString("hex")}`)]);
  const inside = (folder: Buffer, name: Buffer) => Buffer.concat([folder, Buffer.from("/"), name]);
  const mode = lstatSync(path).mode & 0o7777;
  mkdirSync(made, { mode });
  if ((lstatSync(made).mode & 0o7777) !== mode) chmodSync(made, mode);
  for (const name of readdirSync(path, { encoding: "buffer" })) move(inside(path, name), inside(made, name));
  rmdirSync(path);
  renameSync(made, path);
}

/** A folder that its owner may not write to cannot be moved to another one: it contains the name of the one above. */
function move(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const found = lstatSync(from);
    const mode = found.mode & 0o7777;
    if ((error as NodeJS.ErrnoException).code !== "EACCES" || !found.isDirectory()) throw error;
    chmodSync(from, mode | 0o200);
    renameSync(from, to);
    chmodSync(to, mode);
  }
}
