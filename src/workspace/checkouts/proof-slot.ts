import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import { removeFolder } from "../files/remove-folder.ts";
import { identityOf, isAlive } from "../process/process-identity.ts";

const slotsMax = 64;
const lockName = "user.json";

export interface ProofSlot extends Disposable {
  readonly folder: string;
}

/** A folder for one process at a time. If that process has ended, the folder is free. */
export function takeSlot(parent: string): ProofSlot {
  for (let number = 0; number < slotsMax; number += 1) {
    const folder = join(parent, String(number));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const slot = takeIn(folder);
    if (slot !== undefined) return slot;
  }
  throw new Error(`all ${slotsMax} checkouts for checks in ${parent} are in use: wait until one is free`);
}

function takeIn(folder: string): ProofSlot | undefined {
  const lock = join(folder, lockName);
  if (!isFree(lock) || !takeLock(lock)) return undefined;
  return { folder, [Symbol.dispose]: () => rmSync(lock, { force: true }) };
}

interface ListedSlot {
  readonly folder: string;
  readonly isInUse: boolean;
  readonly lastUse: number;
}

/** The slots that are not empty. */
export function listSlots(parent: string): readonly ListedSlot[] {
  const names = existsSync(parent) ? readdirSync(parent).filter((name) => /^\d+$/.test(name)) : [];
  return names
    .map((name) => join(parent, name))
    .filter((folder) => readdirSync(folder).length > 0)
    .map((folder) => {
      const holder = readHolder(join(folder, lockName));
      const isInUse = typeof holder !== "string" && isAlive(holder);
      return { folder, isInUse, lastUse: statSync(folder).mtimeMs };
    });
}

/** Empties a slot that is not in use. The folder itself stays, because another process may be about to take it. */
export function emptySlot(folder: string): void {
  using slot = takeIn(folder);
  if (slot === undefined) return;
  for (const name of readdirSync(folder)) if (name !== lockName) removeFolder(join(folder, name));
}

/** The lock is written under another name and then linked, so that it is never incomplete. */
function takeLock(lock: string): boolean {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
  return unless(
    "EEXIST",
    () => linkSync(own, lock),
    () => rmSync(own),
  );
}

function isFree(lock: string): boolean {
  const holder = readHolder(lock);
  if (holder === "none") return true;
  if (holder !== "unknown" && isAlive(holder)) return false;
  const aside = `${lock}.${process.pid}.dead`;
  if (!unless("ENOENT", () => renameSync(lock, aside))) return true;
  const moved = readHolder(aside);
  // Another process took the lock in the meantime: give it back.
  const isTaken = typeof moved !== "string" && isAlive(moved);
  if (isTaken) unless("EEXIST", () => linkSync(aside, lock));
  rmSync(aside, { force: true });
  return !isTaken;
}

/** False if it fails with the expected code. */
function unless(code: string, act: () => void, after: () => void = () => {}): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
    return false;
  } finally {
    after();
  }
}

function readHolder(lock: string): ProcessIdentity | "none" | "unknown" {
  try {
    const read = JSON.parse(readFileSync(lock, "utf8"));
    return typeof read === "object" && read !== null ? read : "unknown";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "none" : "unknown";
  }
}
