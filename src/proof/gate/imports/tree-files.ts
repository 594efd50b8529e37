import { posix } from "node:path";
import type { SourceTree } from "../source-tree.ts";

/** Which files a tree has. */
export class TreeFiles {
  readonly #files: ReadonlySet<string>;
  readonly #stems = new Set<string>();

  constructor(tree: SourceTree) {
    this.#files = new Set(tree.paths());
    for (const path of this.#files) {
      const name = path.lastIndexOf("/") + 1;
      for (let dot = path.lastIndexOf("."); dot > name; dot = path.lastIndexOf(".", dot - 1))
        this.#stems.add(path.slice(0, dot));
    }
  }

  hasFile(path: string): boolean {
    return this.#files.has(path);
  }

  /** True if some file has this path and an ending, which saves trying them all. */
  hasStem(path: string): boolean {
    return this.#stems.has(path);
  }
}

/** The root is the empty path. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end < 0 ? "" : path.slice(0, end);
}

/** The folder of a file, and all above it up to the root. */
export function foldersAbove(path: string): string[] {
  const folders = [folderOf(path)];
  for (let folder = folders[0] as string; folder !== ""; ) {
    folder = folderOf(folder);
    folders.push(folder);
  }
  return folders;
}

export function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** A path from a folder, or nothing where it leaves the root. */
export function pathFrom(folder: string, relative: string): string | undefined {
  const path = posix.normalize(below(folder, relative)).replace(/\/$/, "");
  if (path === ".." || path.startsWith("../")) return undefined;
  return path === "." ? "" : path;
}
