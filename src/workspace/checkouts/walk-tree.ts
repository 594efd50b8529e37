import {
  accessSync,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type BytePath, onDisk } from "../git/byte-path.ts";

/** Folders that tools create and can create again. */
const outputFolders =
  /(?:^|\/)(?:node_modules|\.venv|target|vendor\/bundle|dist|build|out|coverage|\.next|\.turbo|\.cache|__pycache__)(?:\/|$)/;

export function isOutput(path: BytePath): boolean {
  return outputFolders.test(path);
}

export function sizeAt(root: string, path: BytePath): Stats | undefined {
  return lstatSync(onDisk(root, path), { throwIfNoEntry: false });
}

/** True if a parent of the path is a link. */
export function liesBehindLink(root: string, path: string): boolean {
  let above = dirname(join(root, path));
  while (!existsSync(above)) above = dirname(above);
  return realpathSync.native(above) !== above;
}

interface Visitor {
  /** True to walk into a folder. */
  enter(path: BytePath): boolean;
  entry(path: BytePath, found: Dirent<string>): void;
  /** A folder that this user cannot read. */
  closed(path: BytePath): void;
}

/** Visits everything below `start`. Links are not followed. */
export function walkTree(root: string, start: BytePath, visitor: Visitor): void {
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const found of entriesOf(root, folder, visitor)) {
      const path = folder === "" ? found.name : `${folder}/${found.name}`;
      visitor.entry(path, found);
      if (found.isDirectory() && visitor.enter(path)) open.push(path);
    }
  }
}

function entriesOf(root: string, folder: BytePath, visitor: Visitor): Dirent<string>[] {
  const path = onDisk(root, folder);
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return readdirSync(path, { withFileTypes: true, encoding: "latin1" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    visitor.closed(folder);
    return [];
  }
}

/** Counts blocks, because files may be sparse. A file with several hard links is counted once. */
export function diskUse(slot: string): number {
  const seen = new Set<string>();
  let blocks = 0;
  const count = (found: Stats | undefined) => {
    if (found === undefined) return;
    if (found.nlink > 1 && !found.isDirectory()) {
      const key = `${found.dev} ${found.ino}`;
      if (seen.has(key)) return;
      seen.add(key);
    }
    blocks += found.blocks;
  };
  count(statSync(slot));
  walkTree(slot, "", {
    enter: () => true,
    entry: (path) => count(sizeAt(slot, path)),
    closed: () => {}, // its content cannot be counted
  });
  return blocks * 512;
}
