import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { sessionsFolder } from "../../core/names/session-paths.ts";

export function sessionFolder(root: string, session: string): string {
  return join(root, sessionsFolder, session);
}

/** Undefined if the file is missing. */
export function readSessionFile(root: string, session: string, name: string): string | undefined {
  const file = join(sessionFolder(root, session), name);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** The files of a session, relative to its folder; links are not followed. */
export function listSessionFiles(root: string, session: string): ReadonlySet<string> {
  return new Set(filesBelow(sessionFolder(root, session)));
}

export function filesBelow(folder: string): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
