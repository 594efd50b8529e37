import { existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../files/remove-folder.ts";
import { type BytePath, shown } from "../git/byte-path.ts";
import { checkoutsFolder } from "../state/state-home.ts";
import { copyInstalled } from "./copy-dependencies.ts";
import { copyFolder } from "./copy-folder.ts";
import { deleteLater } from "./delete-later.ts";

/** One for the base, and one for each of some branches that change the lock file. */
const setupsMax = 4;

interface Installed {
  readonly key: string;
  readonly checkout: string;
  /** What the set-up added to the tree: whole folders, none of which has tracked files. */
  readonly folders: readonly BytePath[];
}

/**
 * Stores installed dependencies by the key of their set-up. They are copied from a proof checkout between its set-up
 * and its first check, and without files of its commit, so no agent has written them.
 */
export async function storeSetup(commonFolder: string, { key, checkout, folders }: Installed): Promise<void> {
  const stored = join(storeFolder(commonFolder), key);
  if (existsSync(stored) || folders.length === 0) return;
  const half = `${stored}.${process.pid}.half`;
  removeFolder(half);
  mkdirSync(half, { recursive: true, mode: 0o700 });
  for (const path of folders)
    await copyFolder({ from: checkout, to: half, path: shown(path), renamed: stored });
  try {
    renameSync(half, stored);
  } catch (error) {
    if (!existsSync(stored)) throw error;
    removeFolder(half); // another process stored the same
  }
  deleteLater(storedSetups(commonFolder).slice(setupsMax).flatMap(evict));
}

/** Renames an entry, because nobody may take one that is half deleted. */
function evict({ folder }: StoredSetup): readonly string[] {
  const waste = `${folder}.waste`;
  try {
    renameSync(folder, waste);
    return [waste];
  } catch {
    return []; // another process was faster
  }
}

/** `evicted`: it vanished meanwhile, and part of it may have been copied. */
export async function takeSetup(
  commonFolder: string,
  key: string,
  checkout: string,
): Promise<"taken" | "missing" | "evicted"> {
  const stored = join(storeFolder(commonFolder), key);
  if (!existsSync(stored)) return "missing";
  try {
    utimesSync(stored, new Date(), new Date());
    await copyInstalled(stored, checkout);
    return existsSync(stored) ? "taken" : "evicted";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return "evicted";
  }
}

export interface StoredSetup {
  readonly folder: string;
  readonly lastUse: number;
}

/** The last used first. */
export function storedSetups(commonFolder: string): readonly StoredSetup[] {
  const store = storeFolder(commonFolder);
  const names = existsSync(store) ? readdirSync(store).filter((name) => !name.includes(".")) : [];
  const folders = names.map((name) => join(store, name));
  return folders
    .map((folder) => ({ folder, lastUse: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.lastUse - one.lastUse);
}

function storeFolder(commonFolder: string): string {
  return join(checkoutsFolder(commonFolder), "setups");
}
