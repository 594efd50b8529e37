import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";

/** The folders on PATH and the folder of Lockstep's own Node, with the library folders next to them. */
export function programFolders(): readonly string[] {
  const listed = realSearchPath(process.env.PATH ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => resolve(folder));
  const own = dirname(realpathSync.native(process.execPath));
  return [...new Set([...listed, own].flatMap(withNeighbours))].filter(existsSync);
}

/** What the shims of version managers such as pyenv and asdf read next to their folder. */
const managerParts = "bin installs lib libexec plugins pyenv.d rbenv.d version versions".split(" ");

function withNeighbours(folder: string): string[] {
  const above = dirname(folder);
  if (folder.endsWith("/node_modules/.bin")) return [folder, above];
  if (basename(folder) === "shims") return [folder, ...managerParts.map((name) => join(above, name))];
  if (basename(folder) !== "bin") return [folder];
  return [folder, ...["lib", "lib64", "libexec"].map((name) => join(above, name))];
}

/** Some version managers put a link per shell into /run, which is hidden in the sandbox. Such links are resolved. */
export function realSearchPath(path: string): string {
  return path
    .split(delimiter)
    .map((folder) =>
      /^\/(?:var\/)?run\//.test(folder) && existsSync(folder) ? realpathSync.native(folder) : folder,
    )
    .join(delimiter);
}
