import {
  closeSync,
  constants,
  type Dirent,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { cp, lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onDisk } from "../git/byte-path.ts";
import { walkTree } from "./walk-tree.ts";

export interface FolderCopy {
  /** The two checkouts. */
  readonly from: string;
  readonly to: string;
  /** The folder's path in both. */
  readonly path: string;
  /** The path that `to` gets later. */
  readonly renamed?: string;
}

/**
 * Copies a folder from one checkout into another, with copy-on-write if the disk supports it. Links and paths in Python
 * environments that lead to the old checkout are changed to the new one, or tests would run the old checkout's code.
 */
export async function copyFolder({ from, to, path, renamed = to }: FolderCopy): Promise<void> {
  const aside = mkdtempSync(join(dirname(to), "copying-"));
  try {
    // Renamed only when complete, because an incomplete folder would never be completed.
    const copy = join(aside, "copy");
    await cp(realpathSync.native(join(from, path)), copy, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      mode: constants.COPYFILE_FICLONE,
      filter: async (one) => isCopied(await lstat(one)),
    });
    repoint(copy, [from, realpathSync.native(from)], renamed);
    mkdirSync(dirname(join(to, path)), { recursive: true });
    renameSync(copy, join(to, path));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Sockets and pipes are not copied: they belong to a process. */
function isCopied(found: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): boolean {
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
}

/** Changes absolute links and paths. Relative links already lead into the new checkout. */
function repoint(copy: string, from: readonly string[], to: string): void {
  walkTree(copy, "", {
    enter: () => true,
    entry: (path, entry) => {
      const full = onDisk(copy, path);
      if (entry.isFile() && namesPaths(full, path)) rewrite(full, from, to);
      if (!entry.isSymbolicLink()) return;
      const target = readlinkSync(full);
      const old = from.find((folder) => target === folder || target.startsWith(`${folder}/`));
      if (old === undefined) return;
      rmSync(full);
      symlinkSync(`${to}${target.slice(old.length)}`, full);
    },
    closed: () => {}, // the copy would have failed before
  });
}

/** Files of a virtual environment that contain its own path, or the path of a project installed from its sources. */
function namesPaths(full: Buffer, path: string): boolean {
  if (/(?:^|\/)(?:pyvenv\.cfg|[^/]+\.pth|[^/]+\.egg-link|__editable__[^/]*\.py)$/.test(path)) return true;
  return /(?:^|\/)bin\/[^/]+$/.test(path) && startsWith(full, "#!");
}

function startsWith(file: Buffer, text: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(text.length);
    return readSync(descriptor, bytes) === text.length && bytes.toString("latin1") === text;
  } finally {
    closeSync(descriptor);
  }
}

function rewrite(file: Buffer, from: readonly string[], to: string): void {
  const text = readFileSync(file, "latin1");
  const inBytes = (path: string) => Buffer.from(path).toString("latin1");
  const moved = from.reduce((now, folder) => now.replaceAll(inBytes(folder), inBytes(to)), text);
  if (moved !== text) writeFileSync(file, moved, "latin1");
}
