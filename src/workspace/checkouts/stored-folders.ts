import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { deleteLater } from "./delete-later.ts";

/** A folder whose subfolders several processes put in, take out and delete. */
export interface FolderStore {
  readonly folder: string;
  /** False for names of entries that are being made or deleted. */
  isEntry(name: string): boolean;
}

export interface StoredFolder {
  readonly folder: string;
  /** The time of the last change. */
  readonly lastUse: number;
}

/** Other processes may work on an unfinished entry for this long. */
const unfinishedMsMax = 60_000;

/** The last used first. */
export function storedFolders({ folder, isEntry }: FolderStore): readonly StoredFolder[] {
  return foldersIn(folder, isEntry).sort((one, other) => other.lastUse - one.lastUse);
}

/** Deletes entries, and what a crash left of others. */
export function trimStore({ folder, isEntry }: FolderStore, evicted: readonly string[]): void {
  const isLeft = ({ lastUse }: StoredFolder) => Date.now() - lastUse > unfinishedMsMax;
  const left = foldersIn(folder, (name) => !isEntry(name)).filter(isLeft);
  // Renamed first, so that no process takes an entry that is half deleted.
  const wasted = evicted.filter((entry) => renameFirst(entry, `${entry}.waste`));
  deleteLater([...left.map((one) => one.folder), ...wasted.map((entry) => `${entry}.waste`)]);
}

/** Renames a folder. False if another process was faster. */
export function renameFirst(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}

function foldersIn(folder: string, isWanted: (name: string) => boolean): StoredFolder[] {
  const names = existsSync(folder) ? readdirSync(folder).filter(isWanted) : [];
  return names.flatMap((name) => {
    const path = join(folder, name);
    const lastUse = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return lastUse === undefined ? [] : [{ folder: path, lastUse }];
  });
}
