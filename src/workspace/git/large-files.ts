import { constants, copyFileSync, existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const pointerBytesMax = 1024;
const pointerForm =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/;

/**
 * Puts the content of large files in the place of git-lfs's pointers to them, as far as it was fetched. The paths of
 * the others, which stay pointers. Git-lfs itself is not needed.
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

/** Those that are pointers, and whose content was not fetched. */
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

/** Where git-lfs keeps what a pointer leads to; undefined for a file that is none. */
function contentOf(commonFolder: string, file: string): string | undefined {
  const id = pointerIn(file);
  return id && join(commonFolder, "lfs", "objects", id.slice(0, 2), id.slice(2, 4), id);
}

function pointerIn(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > pointerBytesMax) return undefined;
  return pointerForm.exec(readFileSync(file, "utf8"))?.[1];
}
