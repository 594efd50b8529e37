import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyFolder } from "./copy-folder.ts";
import { isOutput, walkTree } from "./walk-tree.ts";

/** What set-ups leave at the top; packages of a workspace have a `node_modules` of their own as well. */
const keptFolders = /^(?:(?:.*\/)?node_modules|\.venv|target|vendor\/bundle)$/;

/**
 * Copies installed dependencies into another checkout. Never links: a package of the project that is linked into
 * `node_modules` must lead to the new checkout. What is there already stays. The folders that were copied.
 */
export async function copyDependencies(from: string, to: string): Promise<readonly string[]> {
  const found = findKept(from).filter(
    (path) => existsSync(dirname(join(to, path))) && !existsSync(join(to, path)),
  );
  for (const path of found) await copyFolder({ from, to, path });
  if (found.length > 0) noteInstalled(to, found);
  return found;
}

/** An agent that commits everything has them neither: its own git is told to ignore them. */
function noteInstalled(checkout: string, found: readonly string[]): void {
  writeFileSync(installedFile(checkout), JSON.stringify([...installedIn(checkout), ...found]));
  const info = join(checkout, ".git", "info");
  if (!existsSync(dirname(info))) return;
  mkdirSync(info, { recursive: true });
  appendFileSync(join(info, "exclude"), found.map((path) => `/${path}\n`).join(""));
}

/** What was copied into a checkout, whether or not git ignores it: it is nobody's work. */
export function installedIn(checkout: string): readonly string[] {
  const file = installedFile(checkout);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

/** Beside the checkout, where its agent cannot write. */
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
    closed: () => {}, // nobody could install anything there
  });
  return found;
}
