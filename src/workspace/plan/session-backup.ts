import { randomUUID } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { copyName, sessionsFolder } from "../../core/names/session-paths.ts";
import { makePlainFolder } from "../files/plain-folder.ts";
import { limitsName } from "./session-limits.ts";

const planFiles = [copyName, "source.json", limitsName];
const fileBytesMax = 1024 * 1024;

/** Copies the plan of a session to the state folder, which `git clean` does not touch. */
export function backUpSession(stateFolder: string, root: string, session: string): void {
  const kept = keptFolder(stateFolder, session);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  copyPlan(join(root, sessionsFolder, session), kept);
}

/**
 * Copies all files of a session's folder up to a size limit. Files that are missing there stay in the backup: the folder
 * may have been emptied while a run was active.
 */
export function backUpFiles(stateFolder: string, root: string, session: string): void {
  if (!isFolder(join(root, sessionsFolder))) return;
  const kept = keptFolder(stateFolder, session);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  copyFiles(join(root, sessionsFolder, session), kept);
}

/** Restores a session whose whole folder is missing. A single file that the user deleted is not restored. */
export function restoreFiles(stateFolder: string, root: string, session: string): void {
  const folder = join(root, sessionsFolder, session);
  const kept = keptFolder(stateFolder, session);
  if (!existsSync(kept) || lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makePlainFolder(root, sessionsFolder);
  // Atomic, because a folder that exists is never restored.
  const temporary = `${folder}.${randomUUID()}.tmp`;
  try {
    copyFiles(kept, temporary);
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Restores the sessions whose folder or plan was removed, because the ledger still has them. */
export function restoreSessions(stateFolder: string, root: string): void {
  const kept = join(stateFolder, "sessions");
  for (const session of existsSync(kept) ? readdirSync(kept) : []) {
    restoreFiles(stateFolder, root, session);
    const folder = join(root, sessionsFolder, session);
    if (!existsSync(join(folder, copyName))) copyPlan(keptFolder(stateFolder, session), folder);
  }
}

function keptFolder(stateFolder: string, session: string): string {
  return join(stateFolder, "sessions", session);
}

function copyPlan(from: string, to: string): void {
  for (const name of planFiles)
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
}

/** Skips links and files that are being written. */
function copyFiles(from: string, to: string): void {
  const filter = (source: string, target: string) => {
    const found = lstatSync(source, { throwIfNoEntry: false });
    const isWanted = found?.isFile() === true && found.size <= fileBytesMax && !source.endsWith(".tmp");
    if (!isWanted && found?.isDirectory() !== true) return false;
    // If a file replaced a folder or a folder a file, the source is newer.
    if (isFolder(target) === isWanted) rmSync(target, { recursive: true, force: true });
    return true;
  };
  cpSync(from, to, { recursive: true, filter });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
