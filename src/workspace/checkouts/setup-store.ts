import { existsSync, mkdirSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../files/remove-folder.ts";
import { type BytePath, shown } from "../git/byte-path.ts";
import { checkoutsFolder } from "../state/state-home.ts";
import { copyInstalled } from "./copy-dependencies.ts";
import { copyFolder } from "./copy-folder.ts";
import { type FolderStore, type StoredFolder, storedFolders, trimStore } from "./stored-folders.ts";

/** One for the base, and one for each of some branches that change the lock file. */
const setupsMax = 4;

interface Installed {
  readonly key: string;
  readonly checkout: string;
  /** What the setup added to the tree: whole folders, none of which has tracked files. */
  readonly folders: readonly BytePath[];
}

/**
 * Stores installed dependencies by the key of their setup. They are copied from a proof checkout between its setup
 * and its first check, and without files of its commit, so no agent has written them.
 */
export async function storeSetup(commonFolder: string, { key, checkout, folders }: Installed): Promise<void> {
  const stored = join(storeOf(commonFolder).folder, key);
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
  const evicted = storedSetups(commonFolder).slice(setupsMax);
  trimStore(
    storeOf(commonFolder),
    evicted.map(({ folder }) => folder),
  );
}

/** `evicted`: it vanished meanwhile, and part of it may have been copied. */
export async function takeSetup(
  commonFolder: string,
  key: string,
  checkout: string,
): Promise<"taken" | "missing" | "evicted"> {
  const stored = join(storeOf(commonFolder).folder, key);
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

/** The last used first. */
export function storedSetups(commonFolder: string): readonly StoredFolder[] {
  return storedFolders(storeOf(commonFolder));
}

function storeOf(commonFolder: string): FolderStore {
  return {
    folder: join(checkoutsFolder(commonFolder), "setups"),
    isEntry: (name) => /^[0-9a-f]{64}$/.test(name), // a key
  };
}
