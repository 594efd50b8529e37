import { randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { protectedEntryOf } from "../../core/paths/protected-paths.ts";
import { shown } from "../../workspace/git/byte-path.ts";
import type { Undone } from "../world/guard-world.ts";
import type { Change } from "./compare-pictures.ts";
import { fileOf, type Scene } from "./picture.ts";

/**
 * A new file that clients or Lockstep obey is always removed. If its content cannot be kept on a ref (too large, a nested
 * repository, moved from an ignored place), the file is moved to Lockstep's folder.
 */
export function moveAside<Put extends Undone>(
  undone: Put,
  changes: readonly Change[],
  { scene, folder }: { readonly scene: Scene; readonly folder: string },
): Put {
  const byName = new Map(changes.map((change) => [shown(change.path), change]));
  const left = undone.left.map(({ path, why }) => {
    const change = byName.get(path);
    const isNew = change?.before === undefined && protectedEntryOf(path, { tree: false }) !== undefined;
    if (change === undefined || !isNew || path.startsWith(".git/")) return { path, why };
    const place = join(folder, `aside-${randomUUID()}`);
    try {
      renameSync(fileOf(scene, change.path), place);
      return { path, why: `it was moved to ${place}` };
    } catch (error) {
      return { path, why: `${why}; moving it away failed: ${(error as Error).message}` };
    }
  });
  return { ...undone, left };
}
