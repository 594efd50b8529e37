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
import { quoted } from "../../core/text/quoted.ts";
import { ifThere, isGone } from "../files/if-there.ts";
import { type BytePath, onDisk } from "../git/byte-path.ts";

/** Folders that tools create and can create again. */
const outputFolders =
  /(?:^|\/)(?:node_modules|\.venv|target|vendor\/bundle|dist|build|out|coverage|\.next|\.turbo|\.cache|__pycache__)(?:\/|$)/;

export function isOutput(path: BytePath): boolean {
  return outputFolders.test(path);
}

/** Undefined if nothing is there, also if a file is in the place of a folder above. */
export function sizeAt(root: string, path: BytePath): Stats | undefined {
  return ifThere(() => lstatSync(onDisk(root, path), { throwIfNoEntry: false }));
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
  /** A folder of which not everything can be read. */
  closed(path: BytePath, why: "refused" | "too-deep"): void;
}

/** The bytes of a path for the system, with the zero at its end. Programs make longer ones from within their folders. */
const pathBytesMax = process.platform === "darwin" ? 1024 : 4096;

/** Visits everything below `start`. Links are not followed. What another process deletes meanwhile is left out. */
export function walkTree(root: string, start: BytePath, visitor: Visitor): void {
  const spare = pathBytesMax - Buffer.byteLength(root) - "/\0".length;
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    let isCut = false;
    for (const found of entriesOf(root, folder, visitor)) {
      const path = folder === "" ? found.name : `${folder}/${found.name}`;
      if (path.length > spare) {
        isCut = true;
        continue;
      }
      visitor.entry(path, found);
      if (found.isDirectory() && visitor.enter(path)) open.push(path);
    }
    if (isCut) visitor.closed(folder, "too-deep");
  }
}

function entriesOf(root: string, folder: BytePath, visitor: Visitor): Dirent<string>[] {
  const path = onDisk(root, folder);
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return readdirSync(path, { withFileTypes: true, encoding: "latin1" });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (isGone(error)) return [];
    if (code !== "EACCES" && code !== "ENAMETOOLONG") throw error;
    visitor.closed(folder, code === "EACCES" ? "refused" : "too-deep");
    return [];
  }
}

/** Says to an agent what it can do about a folder that `walkTree` calls closed. */
export function closedText(path: string, why: "refused" | "too-deep"): string {
  if (why === "refused") return `${quoted(path)} cannot be read: \`chmod u+rx\` it`;
  const name = `${quoted(path)} holds files whose paths are longer than the system allows`;
  return `${name}: remove it, \`rm -rf\` also deletes such folders`;
}

/**
 * Counts blocks, because files may be sparse. A file with several hard links is counted once, and what cannot be read
 * does not count.
 */
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
  count(statSync(slot, { throwIfNoEntry: false }));
  walkTree(slot, "", {
    enter: () => true,
    entry: (path) => count(sizeAt(slot, path)),
    closed: () => {}, // its content cannot be counted
  });
  return blocks * 512;
}
