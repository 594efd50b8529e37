import { lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface IncludedFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

/** The untracked files of the main checkout that the others get a copy of; those that are not there are left out. */
export function readIncluded(
  root: string,
  paths: readonly string[],
): { readonly files: readonly IncludedFile[] } | { readonly error: string } {
  const found = paths.flatMap((path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, stat }];
  });
  const wrong = found.find(({ stat }) => !stat.isFile());
  if (wrong !== undefined)
    return { error: `\`workspace.include\` lists \`${wrong.path}\`, which is no file: list the files in it` };
  const files = found.map(({ path, stat: { mode } }) => ({
    path,
    mode: mode & 0o777,
    bytes: readFileSync(join(root, path)),
  }));
  return { files };
}

/** What the commit itself has at such a path counts. */
export function copyIncluded(files: readonly IncludedFile[], folder: string): void {
  for (const { path, mode, bytes } of files) {
    const to = join(folder, path);
    if (leadsElsewhere(folder, path) || lstatSync(to, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, bytes, { mode, flag: "wx" });
  }
}

/** Whoever wrote the tree could choose, by a link in it, where the copy goes. */
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
