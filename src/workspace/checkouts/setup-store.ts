import { existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../files/remove-folder.ts";
import { checkoutsFolder } from "../state/state-home.ts";
import { copyInstalled, findInstalled } from "./copy-dependencies.ts";
import { copyFolder } from "./copy-folder.ts";
import { deleteLater } from "./delete-later.ts";

/** One for the base, and one for each of some branches that change the lock file. */
const setupsMax = 4;

/**
 * Installed dependencies by the key of their set-up. Each is copied from a proof checkout between its set-up and its
 * first check, so no code of an agent has written it. Checkouts get copies.
 */
export async function storeSetup(commonFolder: string, key: string, checkout: string): Promise<void> {
  const store = storeFolder(commonFolder);
  const stored = join(store, key);
  const installed = findInstalled(checkout);
  if (existsSync(stored) || installed.length === 0) return;
  const half = `${stored}.${process.pid}.half`;
  removeFolder(half);
  mkdirSync(half, { recursive: true, mode: 0o700 });
  for (const path of installed) await copyFolder({ from: checkout, to: half, path, renamed: stored });
  try {
    renameSync(half, stored);
  } catch (error) {
    if (!existsSync(stored)) throw error;
    removeFolder(half); // another process stored the same
  }
  deleteLater(
    storedSetups(commonFolder)
      .slice(setupsMax)
      .map(({ folder }) => folder),
  );
}

/** False if no such set-up is stored. */
export async function takeSetup(commonFolder: string, key: string, checkout: string): Promise<boolean> {
  const stored = join(storeFolder(commonFolder), key);
  if (!existsSync(stored)) return false;
  utimesSync(stored, new Date(), new Date());
  await copyInstalled(stored, checkout);
  return true;
}

export interface StoredSetup {
  readonly folder: string;
  readonly lastUse: number;
}

/** The last used first. */
export function storedSetups(commonFolder: string): readonly StoredSetup[] {
  const store = storeFolder(commonFolder);
  const folders = existsSync(store) ? readdirSync(store).map((name) => join(store, name)) : [];
  return folders
    .map((folder) => ({ folder, lastUse: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.lastUse - one.lastUse);
}

function storeFolder(commonFolder: string): string {
  return join(checkoutsFolder(commonFolder), "setups");
}
