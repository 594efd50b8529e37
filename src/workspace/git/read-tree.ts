import { spawnSync } from "node:child_process";
import { gitProgram } from "../process/search-path.ts";
import { isAscii } from "./byte-path.ts";
import { GitFault } from "./git-fault.ts";
import { readSmallBlob } from "./object-reader.ts";
import { readName } from "./read-diff.ts";
import { RecentValues } from "./recent-values.ts";
import { listTree, type TreeEntry } from "./tree-entries.ts";

const textBytesMax = 1024 * 1024;
/** Limits of one call of git. */
const blobsPerCall = 5000;
const callBytesMax = 64 * 1024 * 1024;
/** So many blobs are read by the git that is running already. */
const fetchedMax = 200;

/** The files, links and submodules of a commit, by path. Names that are not UTF-8 are left out. */
export interface CommitTree {
  paths(): readonly string[];
  /** Equal for equal content at a path. */
  idOf(path: string): string | undefined;
  /** Undefined if the file is missing, not a regular file, binary or larger than 1 MiB. */
  text(path: string): string | undefined;
  /** Reads many texts with one process; `text` alone starts one per file. */
  load(paths: readonly string[]): void;
  /** As `load`, with the git that is running already: for callers that can wait. */
  fetch(paths: readonly string[]): Promise<void>;
}

/** Trees of one repository. Texts are read on demand; a text in several trees is read once. */
export async function readTrees(root: string, commits: readonly string[]): Promise<CommitTree[]> {
  const blobs = new BlobTexts(root);
  return Promise.all(
    commits.map(async (commit) => {
      const entries = await listEntries(root, commit);
      const paths = [...entries.keys()];
      const idOf = (path: string) => {
        const entry = entries.get(path);
        // A link may have the same blob as a file, so its id includes the mode.
        return entry === undefined || isFile(entry) ? entry?.id : `${entry.mode} ${entry.id}`;
      };
      const blobAt = (path: string) => {
        const entry = entries.get(path);
        return entry !== undefined && isFile(entry) ? [entry.id] : [];
      };
      return {
        paths: () => paths,
        idOf,
        text: (path) => blobAt(path).map((id) => blobs.text(id))[0],
        load: (wanted) => blobs.load(wanted.flatMap(blobAt)),
        fetch: (wanted) => blobs.fetch(wanted.flatMap(blobAt)),
      };
    }),
  );
}

/** The entries by path as shown to users. */
async function listEntries(root: string, commit: string): Promise<ReadonlyMap<string, TreeEntry>> {
  const listed = await listTree(root, commit);
  if ([...listed.keys()].every(isAscii)) return listed;
  const entries = new Map<string, TreeEntry>();
  for (const [bytes, entry] of listed) {
    const { path, utf8 } = readName(Buffer.from(bytes, "latin1"));
    if (utf8) entries.set(path, entry);
  }
  return entries;
}

function isFile({ mode }: TreeEntry): boolean {
  return mode.startsWith("100");
}

/** What is known of a blob; its text is undefined if it is binary or too large. */
interface Blob {
  readonly text: string | undefined;
}

/** By repository and id. Most texts are the same from one commit to the next. */
const texts = new RecentValues<Blob>(8 * 1024 * 1024, ({ text = "" }) => text.length + 100);

/** The texts of blobs, by id. */
class BlobTexts {
  readonly #root: string;
  readonly #known = new Map<string, Blob>();

  constructor(root: string) {
    this.#root = root;
  }

  text(id: string): string | undefined {
    this.load([id]);
    return this.#known.get(id)?.text;
  }

  async fetch(ids: readonly string[]): Promise<void> {
    const wanted = this.#unknown(ids);
    // The running git answers twice for each blob, a new one reads all of them at once.
    if (wanted.length > fetchedMax) this.load(wanted);
    else
      await Promise.all(
        wanted.map(async (id) => this.#keepBlob(id, await readSmallBlob(this.#root, id, textBytesMax))),
      );
  }

  load(ids: readonly string[]): void {
    const wanted = this.#unknown(ids);
    for (let at = 0; at < wanted.length; at += blobsPerCall) this.#read(wanted.slice(at, at + blobsPerCall));
  }

  #unknown(ids: readonly string[]): readonly string[] {
    return [...new Set(ids)].filter((id) => !this.#isKnown(id));
  }

  #isKnown(id: string): boolean {
    if (this.#known.has(id)) return true;
    const recent = texts.get(`${this.#root}\n${id}`);
    if (recent !== undefined) this.#known.set(id, recent);
    return recent !== undefined;
  }

  #read(ids: readonly string[]): void {
    const bytes = this.#ask("--batch", ids);
    if (bytes !== undefined) this.#keep(ids, bytes);
    else for (const part of this.#parts(ids)) this.#keep(part, this.#ask("--batch", part));
  }

  /** The ids of blobs up to 1 MiB, in parts that fit into one call. */
  #parts(ids: readonly string[]): readonly (readonly string[])[] {
    const lines = this.#ask("--batch-check", ids)?.toString("latin1").split("\n") ?? [];
    const parts: string[][] = [];
    let left = 0;
    for (const [at, id] of ids.entries()) {
      const size = sizeIn(id, lines[at] ?? "");
      this.#keepBlob(id, undefined);
      if (size > textBytesMax) continue;
      if (size >= left) {
        parts.push([]);
        left = callBytesMax / 2;
      }
      parts.at(-1)?.push(id);
      left -= size;
    }
    return parts;
  }

  #keep(ids: readonly string[], bytes: Buffer | undefined): void {
    if (bytes === undefined) throw new Error(`git's answer is longer than ${callBytesMax} bytes`);
    let at = 0;
    for (const id of ids) {
      const end = bytes.indexOf(10, at);
      const size = sizeIn(id, bytes.subarray(at, end).toString("latin1"));
      const content = bytes.subarray(end + 1, end + 1 + size);
      at = end + 1 + size + 1;
      this.#keepBlob(id, size > textBytesMax ? undefined : content);
    }
  }

  /** Undefined if it is too large. */
  #keepBlob(id: string, content: Buffer | undefined): void {
    const blob = { text: content?.includes(0) === false ? content.toString("utf8") : undefined };
    this.#known.set(id, blob);
    texts.keep(`${this.#root}\n${id}`, blob);
  }

  /** Undefined if the answer is too large. Synchronous, so that callers deep in a check need not be asynchronous. */
  #ask(mode: "--batch" | "--batch-check", ids: readonly string[]): Buffer | undefined {
    const { status, stdout, stderr, error } = spawnSync(
      gitProgram(),
      ["-C", this.#root, "cat-file", mode, "--buffer"],
      {
        input: `${ids.join("\n")}\n`,
        env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
        maxBuffer: callBytesMax,
      },
    );
    const { code } = (error ?? {}) as NodeJS.ErrnoException;
    if (code === "ENOBUFS") return undefined;
    // EPIPE: git ended before it read its input. Its own message says why.
    if (error !== undefined && code !== "EPIPE") throw error;
    if (status !== 0) throw new GitFault(["cat-file"], { exit: status, stderr: stderr.toString("utf8") });
    return stdout;
  }
}

/** Git's line for an object is `id type size`. */
function sizeIn(id: string, line: string): number {
  const [, type, size] = line.split(" ");
  if (type !== "blob") throw new GitFault(["cat-file"], { exit: 0, stderr: `there is no blob ${id}` });
  return Number(size);
}
