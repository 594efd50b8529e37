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
  /** What relative paths start from. */
  readonly root: string;
  readonly home: string;
  /** Also, such as git's. */
  readonly further: readonly string[];
}

const bytesMax = 4 * 1024 * 1024;

/** A settings file's text; null where it is not there. What cannot be written in the end is refused here already. */
export function readSettings(file: string, places: Places): string | null {
  const path = realFile(file, places);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) throw new SetupFault(`${file}: it is no plain file: move it away`);
  if (found.size > bytesMax) throw new SetupFault(`${file}: it is longer than ${bytesMax} bytes`);
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new SetupFault(`${file}: it is not in UTF-8: save it as UTF-8`);
  return bytes.toString("utf8");
}

/** Each file whole or as it was, with the mode it had; a new one is for its owner alone where it holds a secret. */
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

/** Where the file lies, through all links: these may not lead to what is neither the project's nor the user's. */
function realFile(file: string, { root, home, further }: Places): string {
  const path = resolve(root, file);
  const real = realPathOf(path, file);
  const allowed = [root, home, ...further].filter(existsSync).map((folder) => realpathSync(folder));
  if (allowed.some((folder) => isBelow(real, folder))) return real;
  throw new SetupFault(
    `${file}: it is a link to ${quoted(real)}, outside the project and your home: put a file in its place`,
  );
}

/** Through the deepest part that exists. */
function realPathOf(path: string, file: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return join(realPathOf(dirname(path), file), relative(dirname(path), path));
  try {
    return realpathSync(path);
  } catch {
    throw new SetupFault(`${file}: ${quoted(path)} is a link that leads nowhere: remove it`);
  }
}

function isBelow(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== "" && !below.startsWith("..") && !isAbsolute(below);
}

/** Those that came with the file; git knows no empty ones. */
function removeEmptyFolders(folder: string, { root, home }: Places): void {
  const ends = [root, home].map((end) => realpathSync(end));
  for (let at = folder; ends.some((end) => isBelow(at, end)); at = dirname(at)) {
    if (!existsSync(at)) continue;
    if (readdirSync(at).length > 0) return;
    rmdirSync(at);
  }
}
