import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const reserveName = "reserve";

const reserveBytes = 256 * 1024;
/** On a disk with less the reserve itself would be what fills it. */
const roomBytesMin = 4 * reserveBytes;

/**
 * Bytes to give away on a full disk, for the changes that end something. They are random, because some file
 * systems store no zeros.
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

/** Whether there was one to give away. */
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
