import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { removeFolder } from "../files/remove-folder.ts";

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The content of a file in a folder that agents can write. Undefined if it is missing, too large, or not a regular file
 * with a single name: through a link Lockstep would read another file.
 */
export function readPlain(root: string, name: string, bytesMax: number): Buffer | undefined {
  const file = join(root, name);
  return unlessAbsent(() => {
    if (realpathSync(dirname(file)) !== join(realpathSync(root), dirname(name))) return undefined;
    const descriptor = openSync(file, flags);
    try {
      const { nlink, size } = fstatSync(descriptor);
      if (!fstatSync(descriptor).isFile() || nlink !== 1 || size > bytesMax) return undefined;
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** The content of a user's file, which may be a link. */
export function readOwn(file: string, bytesMax: number): Buffer | undefined {
  return unlessAbsent(() => {
    const found = statSync(file);
    return found.isFile() && found.size <= bytesMax ? readFileSync(file) : undefined;
  });
}

/** Creates a folder below one that agents can write. Files and links at its path are removed. */
export function makePlain(root: string, path: string): string {
  let folder = root;
  for (const name of path.split("/").filter((one) => one !== "." && one !== "")) {
    folder = join(folder, name);
    if (!isFolder(folder)) rmSync(folder, { force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return folder;
}

/** Removes a path below such a folder, and the links on the way to it. */
export function clearPlain(root: string, name: string): void {
  const folder = dirname(name);
  if (folder !== ".") makePlain(root, folder);
  removeFolder(join(root, name));
}

/** False for a link, which could lead anywhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const absences: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EACCES", "EISDIR"];

function unlessAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (absences.includes((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}
