import { readName, splitAtZero } from "./read-diff.ts";
import { gitBytes } from "./run-git.ts";

const textBytesMax = 1024 * 1024;

/** The regular files of a commit that are text and not huge, all read at once. */
export async function readTree(
  root: string,
  commit: string,
): Promise<ReadonlyMap<string, string | undefined>> {
  const listed = splitAtZero(await gitBytes(root, ["ls-tree", "-r", "-l", "-z", "--full-tree", commit]));
  const files: { path: string; blob: string; small: boolean }[] = [];
  for (const line of listed) {
    const tab = line.indexOf(9);
    const [mode = "", , blob = "", size = ""] = line.subarray(0, tab).toString("latin1").split(/\s+/);
    const { path, utf8 } = readName(line.subarray(tab + 1));
    if (utf8 && mode.startsWith("100")) files.push({ path, blob, small: Number(size) <= textBytesMax });
  }
  const wanted = [...new Set(files.filter(({ small }) => small).map(({ blob }) => blob))];
  const texts = await readBlobs(root, wanted);
  return new Map(files.map(({ path, blob }) => [path, texts.get(blob)]));
}

/** `git cat-file --batch` answers with a line for each and then so many bytes. */
async function readBlobs(root: string, blobs: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (blobs.length === 0) return texts;
  const bytes = await gitBytes(root, ["cat-file", "--batch"], { input: `${blobs.join("\n")}\n` });
  let at = 0;
  for (const blob of blobs) {
    const end = bytes.indexOf(10, at);
    const size = Number(bytes.subarray(at, end).toString("latin1").split(" ")[2]);
    const content = bytes.subarray(end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    if (!content.includes(0)) texts.set(blob, content.toString("utf8"));
  }
  return texts;
}
