import {
  constants,
  existsSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isOutput, onDisk, walkTree } from "./walk-tree.ts";

/** What set-ups leave at the top; packages of a workspace have a `node_modules` of their own as well. */
const keptFolders = /^(?:(?:.*\/)?node_modules|\.venv|target|vendor\/bundle)$/;

/**
 * Copies installed dependencies into another checkout, as clones of the blocks where the disk can. Never links: a
 * package of the project that is linked into `node_modules` must lead to the new checkout, or its tests would run
 * on the old one's code. What is there already stays. The folders that were copied.
 */
export async function copyDependencies(from: string, to: string): Promise<readonly string[]> {
  const found = findKept(from).filter(
    (path) => existsSync(dirname(join(to, path))) && !existsSync(join(to, path)),
  );
  if (found.length === 0) return [];
  const aside = mkdtempSync(join(dirname(to), "copying-"));
  try {
    for (const path of found) {
      // In its place only when it is whole: half of it would never be completed.
      const copy = join(aside, "copy");
      const mode = constants.COPYFILE_FICLONE;
      await cp(join(from, path), copy, {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
        mode,
      });
      repoint(copy, [from, realpathSync(from)], to);
      renameSync(copy, join(to, path));
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return found;
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

/** Relative links lead into the new checkout by themselves. */
function repoint(copy: string, from: readonly string[], to: string): void {
  walkTree(copy, "", {
    enter: () => true,
    entry: (path, entry) => {
      if (!entry.isSymbolicLink()) return;
      const link = onDisk(copy, path);
      const target = readlinkSync(link);
      const old = from.find((folder) => target === folder || target.startsWith(`${folder}/`));
      if (old === undefined) return;
      rmSync(link);
      symlinkSync(`${to}${target.slice(old.length)}`, link);
    },
    closed: () => {}, // the copy would have failed before
  });
}
