import { readSmallBlob } from "./object-reader.ts";
import { readName } from "./read-diff.ts";
import { compareTrees, type TreeEntry } from "./tree-entries.ts";

const textBytesMax = 1024 * 1024;

/** A file that differs between two commits. */
export interface ChangedText {
  readonly path: string;
  /** Undefined if the file is missing, not a regular file, binary or larger than 1 MiB. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Also set for files without a text: links, binary and large files. */
  readonly status: "added" | "modified" | "deleted";
}

export async function readChangedTexts(
  folder: string,
  from: string,
  to: string,
): Promise<readonly ChangedText[]> {
  const textOf = async (entry: TreeEntry | undefined) => {
    if (entry?.mode.startsWith("100") !== true) return undefined;
    const bytes = await readSmallBlob(folder, entry.id, textBytesMax);
    return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8");
  };
  return Promise.all(
    (await compareTrees(folder, from, to)).map(async ({ path, before, after }) => ({
      path: readName(Buffer.from(path, "latin1")).path,
      before: await textOf(before),
      after: await textOf(after),
      status: before === undefined ? "added" : after === undefined ? "deleted" : "modified",
    })),
  );
}
