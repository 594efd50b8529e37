import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { quoted } from "../core/text/quoted.ts";
import { clientNameBytesMax } from "../guard/transport/client-socket.ts";
import { DiskFault } from "../workspace/files/disk-fault.ts";

/** The maximum length of a socket address, without the final NUL. */
const pathBytesMax = process.platform === "darwin" ? 103 : 107;
const shortPrefix = "lockstep-";

/** The real path of a folder that only this user can read and write. */
export function requireOwnFolder(folder: string): string {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory())
    throw new DiskFault(`${quoted(folder)} is not a folder: move the file away`);
  if (isForeign(found.uid))
    throw new DiskFault(
      `${quoted(folder)} belongs to another user: run lockstep as that user, or move the folder away`,
    );
  if ((found.mode & 0o077) !== 0)
    throw new DiskFault(`${quoted(folder)} is accessible to other users: run \`chmod 700\` on it`);
  return realpathSync(folder);
}

/** Only for the holder of the host's lock: any socket found here is stale. */
export function placeSocket(folder: string, name: string): string {
  const path = join(folder, name);
  if (Buffer.byteLength(path) + clientNameBytesMax > pathBytesMax) return placeShort();
  removeStale(path);
  return path;
}

/** The random name cannot be guessed, so no other user can have created it before. */
function placeShort(): string {
  const runtime = process.env.XDG_RUNTIME_DIR ?? "";
  for (const folder of [runtime, tmpdir(), "/tmp"]) {
    const fits = Buffer.byteLength(join(folder, `${shortPrefix}XXXXXX`, "socket")) <= pathBytesMax;
    if (isAbsolute(folder) && fits && lstatSync(folder, { throwIfNoEntry: false }) !== undefined)
      return join(realpathSync(mkdtempSync(join(folder, shortPrefix))), "socket");
  }
  throw new DiskFault(
    "no temporary folder has a path that is short enough for a socket: set XDG_RUNTIME_DIR",
  );
}

/** Removes the folder that was created for a socket, if there is one. */
export function removeShort(folder: string, socket: string): void {
  const made = dirname(socket);
  const found = lstatSync(made, { throwIfNoEntry: false });
  if (made === folder || found === undefined || isForeign(found.uid)) return;
  if (!found.isDirectory() || !basename(made).startsWith(shortPrefix)) return;
  for (const name of readdirSync(made)) if (join(made, name).startsWith(socket)) rmSync(join(made, name));
  rmdirSync(made);
}

function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket() || isForeign(found.uid))
    throw new DiskFault(`${quoted(path)} is not a socket of Lockstep: move it away`);
  rmSync(path);
}

function isForeign(uid: number): boolean {
  return uid !== (process.geteuid?.() ?? uid);
}
