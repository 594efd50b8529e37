import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** The cost grows faster than the number of mounts: 500 take 0.4 seconds, 2,000 take 7. */
const bindsMax = 2000;

export interface StrictLock {
  readonly inLock: (path: string) => boolean;
  /** True if a path at or below the folder, existing or new, can be in the lock. */
  readonly reaches: (folder: string) => boolean;
}

interface Tracked {
  /** Undefined for a file, a link or a submodule. */
  readonly children: Map<string, Tracked> | undefined;
}

/**
 * The fewest read-only mounts that cover all tracked files outside the lock: whole folders that contain nothing else,
 * single files elsewhere. Ignored and untracked files stay writable, so a folder with such files is not mounted as a
 * whole, nor is the checkout itself. A link cannot be mounted read-only. Changed links, and new files in a writable
 * folder, are found later by the comparison with the lock.
 */
export function strictBinds(
  checkout: string,
  tracked: readonly string[],
  lock: StrictLock,
): { readonly binds: readonly string[] } | { readonly error: string } {
  const binds = closeBelow("", treeOf(tracked), { checkout, lock }).binds.map((path) => join(checkout, path));
  if (binds.length <= bindsMax) return { binds };
  const found = `\`sandbox: strict\` needs ${binds.length} read-only mounts here, the limit is ${bindsMax}`;
  return { error: `${found}: name whole folders in \`lock_scope\`, or use \`sandbox: auto\`` };
}

function treeOf(tracked: readonly string[]): Map<string, Tracked> {
  const root = new Map<string, Tracked>();
  for (const path of tracked) {
    const segments = path.split("/");
    const name = segments.pop() ?? "";
    let folder = root;
    for (const segment of segments) {
      const children = folder.get(segment)?.children ?? new Map<string, Tracked>();
      folder.set(segment, { children });
      folder = children;
    }
    if (!folder.has(name)) folder.set(name, { children: undefined });
  }
  return root;
}

interface Closed {
  readonly binds: readonly string[];
  /** True if the folder could be read-only as a whole. */
  readonly whole: boolean;
}

function closeBelow(
  folder: string,
  children: ReadonlyMap<string, Tracked>,
  around: { readonly checkout: string; readonly lock: StrictLock },
): Closed {
  const binds: string[] = [];
  let whole = true;
  for (const entry of readdirSync(join(around.checkout, folder), { withFileTypes: true })) {
    const child = children.get(entry.name);
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const closed = child === undefined ? open : closeEntry(path, { entry, child }, around);
    binds.push(...closed.binds);
    whole &&= closed.whole;
  }
  return { binds, whole };
}

const open: Closed = { binds: [], whole: false };

function closeEntry(
  path: string,
  { entry, child }: { readonly entry: Dirent; readonly child: Tracked },
  around: { readonly checkout: string; readonly lock: StrictLock },
): Closed {
  const { lock } = around;
  if (entry.isDirectory() && child.children !== undefined) {
    const { binds, whole } = closeBelow(path, child.children, around);
    return whole && !lock.reaches(path) ? { binds: [path], whole: true } : { binds, whole: false };
  }
  const held = entry.isDirectory() ? lock.reaches(path) : lock.inLock(path);
  if (held) return open;
  // The mount would resolve a link and cover its target.
  return { binds: entry.isSymbolicLink() ? [] : [path], whole: true };
}
