import { constants, copyFileSync, existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const pointerBytesMax = 1024;
const pointerForm =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/;

/**
 * Replaces git-lfs pointers by the content of the large files, if it was fetched. Returns the paths that stay pointers.
 * git-lfs itself is not needed.
 */
export function fillLargeFiles(
  commonFolder: string,
  folder: string,
  paths: readonly string[],
): readonly string[] {
  return paths.filter((path) => {
    const file = join(folder, path);
    const content = contentOf(commonFolder, file);
    if (content === undefined) return false;
    if (!existsSync(content)) return true;
    rmSync(file);
    copyFileSync(content, file, constants.COPYFILE_FICLONE);
    return false;
  });
}

/** The pointers whose content was not fetched. */
export function missingLargeFiles(
  commonFolder: string,
  folder: string,
  paths: readonly string[],
): readonly string[] {
  return paths.filter((path) => {
    const content = contentOf(commonFolder, join(folder, path));
    return content !== undefined && !existsSync(content);
  });
}

/** The path at which git-lfs keeps a pointer's content; undefined if the file is not a pointer. */
function contentOf(commonFolder: string, file: string): string | undefined {
  const id = pointerIn(file);
  return id && join(commonFolder, "lfs", "objects", id.slice(0, 2), id.slice(2, 4), id);
}

function pointerIn(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > pointerBytesMax) return undefined;
  return pointerForm.exec(readFileSync(file, "utf8"))?.[1];
}
