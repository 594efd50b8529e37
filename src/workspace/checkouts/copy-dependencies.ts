import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyFolder } from "./copy-folder.ts";
import { isOutput, walkTree } from "./walk-tree.ts";

/** The folders that set-ups create at the top. Packages of a workspace also have their own `node_modules`. */
const keptFolders = /^(?:(?:.*\/)?node_modules|\.venv|target|vendor\/bundle)$/;

/**
 * Copies installed dependencies into another checkout and returns the copied folders. They are not linked, because a
 * project package that is linked into `node_modules` must lead to the new checkout. Existing folders stay.
 */
export async function copyDependencies(from: string, to: string): Promise<readonly string[]> {
  const found = findKept(from).filter(
    (path) => existsSync(dirname(join(to, path))) && !existsSync(join(to, path)),
  );
  for (const path of found) await copyFolder({ from, to, path });
  if (found.length > 0) noteInstalled(to, found);
  return found;
}

/** Makes the agent's git ignore the folders, so that they are not committed. */
function noteInstalled(checkout: string, found: readonly string[]): void {
  writeFileSync(installedFile(checkout), JSON.stringify([...installedIn(checkout), ...found]));
  const info = join(checkout, ".git", "info");
  if (!existsSync(dirname(info))) return;
  mkdirSync(info, { recursive: true });
  appendFileSync(join(info, "exclude"), found.map((path) => `/${path}\n`).join(""));
}

/** The folders that were copied into a checkout. They are not part of the work, even if git does not ignore them. */
export function installedIn(checkout: string): readonly string[] {
  const file = installedFile(checkout);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

/** Next to the checkout, where its agent cannot write. */
function installedFile(checkout: string): string {
  return join(dirname(checkout), "installed.json");
}

function findKept(folder: string): string[] {
  const found: string[] = [];
  walkTree(folder, "", {
    enter: (path) => path !== ".git" && !isOutput(path),
    entry: (path, entry) => {
      if (entry.isDirectory() && keptFolders.test(path)) found.push(Buffer.from(path, "latin1").toString());
    },
    closed: () => {}, // nothing can be installed in a folder that cannot be read
  });
  return found;
}
