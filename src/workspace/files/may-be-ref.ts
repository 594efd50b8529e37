import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where git looks for a ref by its short name, in its order. */
const places = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/** Whether a ref of this repository may go by a name; in doubt it may. */
export function mayBeRef(commonFolder: string, name: string): boolean {
  // `HEAD`, `FETCH_HEAD` and the like lie beside the other refs, some of them in each worktree's own folder.
  if (/^[A-Z_]+$/.test(name) || existsSync(join(commonFolder, "reftable"))) return true;
  const full = places.map((place) => place + name).concat(`refs/remotes/${name}/HEAD`, name);
  try {
    const packed = new Set(packedRefs(commonFolder));
    return full.some(
      (ref) => packed.has(ref) || (ref.startsWith("refs/") && existsSync(join(commonFolder, ref))),
    );
  } catch {
    return true; // what cannot be read may name anything
  }
}

function packedRefs(commonFolder: string): readonly string[] {
  const file = join(commonFolder, "packed-refs");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => /^[0-9a-f]+ (.+)$/.exec(line)?.[1] ?? []);
}
