import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BytePath } from "../git/byte-path.ts";
import { copyFolder } from "./copy-folder.ts";
import { isOutput, walkTree } from "./walk-tree.ts";

/** The folders that setups create at the top. Packages of a workspace also have their own `node_modules`. */
const keptFolders = /^(?:(?:.*\/)?node_modules|\.venv|target|vendor\/bundle)$/;

/** Whether the path is a folder that setups create. */
export function isInstalled(path: BytePath): boolean {
  return keptFolders.test(path);
}

/** Copies installed dependencies into a checkout of an agent, whose git then ignores them. */
export async function copyDependencies(from: string, to: string): Promise<readonly string[]> {
  const copied = await copyInstalled(from, to);
  if (copied.length > 0) noteInstalled(to, copied);
  return copied;
}

/**
 * Copies installed dependencies into another checkout and returns the copied folders. They are not linked, because a
 * project package that is linked into `node_modules` must lead to the new checkout. Existing folders stay.
 */
export async function copyInstalled(from: string, to: string): Promise<readonly string[]> {
  const found = findInstalled(from).filter(
    (path) => existsSync(dirname(join(to, path))) && !existsSync(join(to, path)),
  );
  for (const path of found) await copyFolder({ from, to, path });
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

function findInstalled(folder: string): readonly string[] {
  const found: string[] = [];
  walkTree(folder, "", {
    enter: (path) => path !== ".git" && !isOutput(path),
    entry: (path, entry) => {
      if (entry.isDirectory() && isInstalled(path)) found.push(Buffer.from(path, "latin1").toString());
    },
    closed: () => {}, // nothing can be installed in a folder that cannot be read
  });
  return found;
}
