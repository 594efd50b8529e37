import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { git } from "../git/run-git.ts";
import { repositoryFolder } from "./checkout.ts";

/** Packing fewer objects is not worth the time. */
const looseMax = 1000;

/**
 * Packs the loose objects and refs that many merges leave. Nothing is deleted, not even unreachable objects, because
 * checkouts share these objects.
 */
export async function packRepository(
  commonFolder: string,
  {
    looseMax: most = looseMax,
    onProgress,
  }: { readonly looseMax?: number; onProgress(line: string, state?: "running"): void },
): Promise<boolean> {
  if (countLoose(commonFolder) <= most) return false;
  onProgress("packing the repository", "running");
  const folder = repositoryFolder(commonFolder);
  await git(folder, ["pack-refs", "--all", "--prune"]);
  await git(folder, ["repack", "-d", "-l", "-q", "--geometric=2"]);
  return true;
}

/** The number of loose objects. */
export function countLoose(commonFolder: string): number {
  const objects = join(commonFolder, "objects");
  const folders = existsSync(objects) ? readdirSync(objects) : [];
  return folders
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .reduce((sum, name) => sum + readdirSync(join(objects, name)).length, 0);
}
