import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const reserveName = "reserve";

const reserveBytes = 256 * 1024;
/** With less free space, the reserve itself would fill the disk. */
const roomBytesMin = 4 * reserveBytes;

/**
 * Creates a file that can be deleted on a full disk, to make room for the changes that end something. Its bytes
 * are random, because some file systems do not store zeros.
 */
export function keepReserve(folder: string): void {
  const path = join(folder, reserveName);
  if (statSync(path, { throwIfNoEntry: false })?.size === reserveBytes) return;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < roomBytesMin) return;
  try {
    writeFileSync(path, randomBytes(reserveBytes), { mode: 0o600 });
    chmodSync(path, 0o600);
  } catch {
    rmSync(path, { force: true });
  }
}

/** Deletes the reserve. Returns whether there was one. */
export function freeReserve(folder: string): boolean {
  try {
    rmSync(join(folder, reserveName));
    return true;
  } catch {
    return false;
  }
}

export function hasReserve(folder: string): boolean {
  return existsSync(join(folder, reserveName));
}
