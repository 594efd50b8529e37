import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { asBytes, onDisk, shown } from "../git/byte-path.ts";
import { copyFolder } from "./copy-folder.ts";
import { isOutput, walkTree } from "./walk-tree.ts";

interface IncludedFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

/** A folder that tools fill, such as `node_modules`. It is copied whole and compared by its files' metadata. */
interface IncludedFolder {
  readonly path: string;
  readonly mark: string;
}

/** The untracked files of the main checkout that are copied into the other checkouts. */
export interface Included {
  readonly root: string;
  readonly files: readonly IncludedFile[];
  readonly folders: readonly IncludedFolder[];
}

const filesBytesMax = 256 * 1024 * 1024;

/** Missing paths are left out. For a folder, all files in it are read. */
export function readIncluded(root: string, paths: readonly string[]): Included | { readonly error: string } {
  const files: IncludedFile[] = [];
  const folders: IncludedFolder[] = [];
  let bytes = 0;
  for (const path of paths) {
    const names = filesAt(root, path);
    if (names === undefined)
      return { error: `\`workspace.include\` lists \`${path}\`, which is neither a file nor a folder` };
    if (isOutput(asBytes(path)) && isFolder(join(root, path))) {
      folders.push({ path, mark: markOf(root, names) });
      continue;
    }
    for (const name of names) {
      const { mode, size } = statSync(join(root, name));
      bytes += size;
      if (bytes > filesBytesMax)
        return {
          error: `\`workspace.include\` lists more than 256 MiB at \`${path}\`: list the files that are needed`,
        };
      files.push({ path: name, mode: mode & 0o777, bytes: readFileSync(join(root, name)) });
    }
  }
  return { root, files, folders };
}

/** Fingerprints of all included files and folders. */
export function includedMarks({
  files,
  folders,
}: Included): readonly (readonly [path: string, mark: string])[] {
  const digests = files.map(
    ({ path, mode, bytes }) =>
      [
        path,
        createHash("sha256")
          .update(`${mode & 0o100} `)
          .update(bytes)
          .digest("hex"),
      ] as const,
  );
  return [...digests, ...folders.map(({ path, mark }) => [path, mark] as const)];
}

/** Does not overwrite files of the commit. */
export async function copyIncluded({ root, files, folders }: Included, to: string): Promise<void> {
  for (const { path, mode, bytes } of files) {
    if (!isFree(to, path)) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), bytes, { mode, flag: "wx" });
  }
  for (const { path } of folders) if (isFree(to, path)) await copyFolder({ from: root, to, path });
}

function isFree(folder: string, path: string): boolean {
  return (
    !leadsElsewhere(folder, path) && lstatSync(join(folder, path), { throwIfNoEntry: false }) === undefined
  );
}

/** True if a link in the tree, which an agent may have written, would redirect the copy. */
function leadsElsewhere(folder: string, path: string): boolean {
  let at = folder;
  for (const segment of path.split("/").slice(0, -1)) {
    at = join(at, segment);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (!found.isDirectory()) return true;
  }
  return false;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The files at and below a path. A link to a file counts as a file. */
function filesAt(root: string, path: string): readonly string[] | undefined {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [path];
  if (!found.isDirectory()) return undefined;
  const names: string[] = [];
  walkTree(realpathSync.native(join(root, path)), "", {
    enter: (name) => !/(?:^|\/)\.git$/.test(name),
    entry: (name) => {
      const full = `${path}/${shown(name)}`;
      if (statSync(join(root, full), { throwIfNoEntry: false })?.isFile()) names.push(full);
    },
    closed: () => {}, // checks cannot read it either
  });
  return names.sort();
}

/** From metadata only: reading all of `node_modules` would take longer than many checks. */
function markOf(root: string, names: readonly string[]): string {
  const hash = createHash("sha256");
  for (const name of names) {
    const { size, mtimeMs, mode } = lstatSync(onDisk(root, asBytes(name)));
    hash.update(`${name}\0${size} ${mtimeMs} ${mode}\0`);
  }
  return hash.digest("hex");
}
