import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Each bind costs more than the one before: 500 of them 0.4 seconds, 2,000 of them 7. */
const bindsMax = 2000;

export interface StrictLock {
  readonly inLock: (path: string) => boolean;
  /** True if the lock has, or could come to have, anything at or below the folder. */
  readonly reaches: (folder: string) => boolean;
}

interface Tracked {
  /** Undefined for what git tracks as one thing: a file, a link, a submodule. */
  readonly children: Map<string, Tracked> | undefined;
}

/**
 * The fewest paths of a checkout that have to be read-only so that all tracked ones outside the lock are: whole
 * folders where there is nothing but these, single files elsewhere. What is ignored or untracked stays writable, so
 * a folder that holds some is left open, and so is the checkout itself, where output comes to lie. A link cannot be
 * made read-only alone; it is left to the comparison with the lock afterwards, as is a new file in an open folder.
 */
export function strictBinds(
  checkout: string,
  tracked: readonly string[],
  lock: StrictLock,
): { readonly binds: readonly string[] } | { readonly error: string } {
  const binds = closeBelow("", treeOf(tracked), { checkout, lock }).binds.map((path) => join(checkout, path));
  if (binds.length <= bindsMax) return { binds };
  const found = `\`sandbox: strict\` needs ${binds.length} read-only mounts here, and ${bindsMax} are the limit`;
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
  // A link would be resolved, and what it leads to be bound.
  return { binds: entry.isSymbolicLink() ? [] : [path], whole: true };
}
