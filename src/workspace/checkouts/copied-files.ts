import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileMark } from "../files/file-mark.ts";
import { replaceFile } from "../files/replace-file.ts";
import { asBytes, onDisk } from "../git/byte-path.ts";
import { type Checkout, digestOf } from "./checkout.ts";
import { sizeAt } from "./walk-tree.ts";

type Place = Pick<Checkout, "folder">;

/** The digest of a file's content, and its fingerprint at that time. */
interface Copied {
  readonly digest: string;
  readonly mark: string | undefined;
}

/**
 * Records files of a checkout that exist elsewhere with the same content: files that were copied into it, and files that
 * were collected from it. They have to be kept only if an agent changes them.
 */
export function rememberCopied(place: Place, digests: Readonly<Record<string, string>>): void {
  const copied = Object.entries(digests).map(([path, digest]) => [
    path,
    { digest, mark: markAt(place, path) },
  ]);
  const all = { ...readCopied(place), ...Object.fromEntries(copied) };
  replaceFile(copiedFile(place), JSON.stringify(all));
}

/** The recorded files that exist: `still` are unchanged, `edited` are changed. */
export function lookAtCopied(place: Place): {
  readonly still: readonly string[];
  readonly edited: readonly string[];
} {
  const still: string[] = [];
  const edited: string[] = [];
  for (const [path, { digest, mark }] of Object.entries(readCopied(place))) {
    const now = markAt(place, path);
    const isStill = now === mark || digestAt(place.folder, path) === digest;
    if (now !== undefined) (isStill ? still : edited).push(path);
  }
  return { still, edited };
}

function readCopied(place: Place): Readonly<Record<string, Copied>> {
  const file = copiedFile(place);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

export function digestAt(folder: string, path: string): string | undefined {
  const bytes = asBytes(path);
  return sizeAt(folder, bytes)?.isFile() ? digestOf(readFileSync(onDisk(folder, bytes))) : undefined;
}

export function markAt({ folder }: Place, path: string): string | undefined {
  return fileMark(onDisk(folder, asBytes(path)));
}

/** Next to the checkout, where its agent cannot write. */
function copiedFile({ folder }: Place): string {
  return join(dirname(folder), "lent.json");
}
