import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The prefixes that git tries for a short ref name, in git's order. */
const places = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/** True if a ref of this repository may have this name; in doubt true. */
export function mayBeRef(commonFolder: string, name: string): boolean {
  // `HEAD`, `FETCH_HEAD` and similar refs are outside `refs/`, some of them in each worktree's own folder.
  if (/^[A-Z_]+$/.test(name) || existsSync(join(commonFolder, "reftable"))) return true;
  const full = places.map((place) => place + name).concat(`refs/remotes/${name}/HEAD`, name);
  try {
    const packed = new Set(packedRefs(commonFolder));
    return full.some(
      (ref) => packed.has(ref) || (ref.startsWith("refs/") && existsSync(join(commonFolder, ref))),
    );
  } catch {
    return true; // a file that cannot be read may contain any name
  }
}

function packedRefs(commonFolder: string): readonly string[] {
  const file = join(commonFolder, "packed-refs");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => /^[0-9a-f]+ (.+)$/.exec(line)?.[1] ?? []);
}
