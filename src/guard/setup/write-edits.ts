import { isUtf8 } from "node:buffer";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { type Edit, SetupFault } from "./edits.ts";

/** The folders that `init` may write in. */
export interface Places {
  /** The base of relative paths. */
  readonly root: string;
  readonly home: string;
  /** Additional folders, such as git's. */
  readonly further: readonly string[];
}

const bytesMax = 4 * 1024 * 1024;

/** The text of a settings file; null if it does not exist. A file that could not be written later is refused here. */
export function readSettings(file: string, places: Places): string | null {
  const path = realFile(file, places);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) throw new SetupFault(`${file}: this is not a regular file: move it away`);
  if (found.size > bytesMax) throw new SetupFault(`${file}: the file is longer than ${bytesMax} bytes`);
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new SetupFault(`${file}: the file is not UTF-8: save it as UTF-8`);
  return bytes.toString("utf8");
}

/** Replaces each file atomically and keeps its mode. A new file that holds a secret is readable by its owner only. */
export function writeEdits(edits: readonly Edit[], places: Places, secret: string | undefined): void {
  for (const { file, after } of edits) {
    const path = realFile(file, places);
    if (after === null) {
      rmSync(path, { force: true });
      removeEmptyFolders(dirname(path), places);
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    const isSecret = secret !== undefined && after.includes(secret);
    replaceFile(path, after, { mode: isSecret ? 0o600 : 0o666, keepsMode: true });
  }
}

/** Resolves all links. The target must be in the project, the user's home, or one of the additional folders. */
function realFile(file: string, { root, home, further }: Places): string {
  const path = resolve(root, file);
  const real = realPathOf(path, file);
  const allowed = [root, home, ...further].filter(existsSync).map((folder) => realpathSync(folder));
  if (allowed.some((folder) => isBelow(real, folder))) return real;
  throw new SetupFault(
    `${file}: this is a link to ${quoted(real)}, outside the project and your home: replace it with a file`,
  );
}

/** Resolves the deepest part that exists. */
function realPathOf(path: string, file: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return join(realPathOf(dirname(path), file), relative(dirname(path), path));
  try {
    return realpathSync(path);
  } catch {
    throw new SetupFault(`${file}: ${quoted(path)} is a broken link: remove it`);
  }
}

function isBelow(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== "" && !below.startsWith("..") && !isAbsolute(below);
}

/** Removes folders that became empty; git does not track empty folders. */
function removeEmptyFolders(folder: string, { root, home }: Places): void {
  const ends = [root, home].map((end) => realpathSync(end));
  for (let at = folder; ends.some((end) => isBelow(at, end)); at = dirname(at)) {
    if (!existsSync(at)) continue;
    if (readdirSync(at).length > 0) return;
    rmdirSync(at);
  }
}
