import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import type { Config } from "../../../contract/config.ts";
import { sessionFilesRef, sharedRef, trackedFilesRef } from "../../../core/names/ref-names.ts";
import { sessionsFolder } from "../../../core/names/session-paths.ts";
import { mergedFile } from "../../../core/session/merge-files.ts";
import { makePlainFolder } from "../../../workspace/files/plain-folder.ts";
import { projectFile, replaceFile } from "../../../workspace/files/replace-file.ts";
import { readObject } from "../../../workspace/git/object-reader.ts";
import { changeRefs } from "../../../workspace/git/ref-writer.ts";
import { readRef } from "../../../workspace/git/refs.ts";
import { fetchRefs, pushRefs, type Remote, readRemoteRefs, remoteOf } from "../../../workspace/git/remote.ts";
import { git } from "../../../workspace/git/run-git.ts";

interface Place {
  readonly repository: { readonly root: string };
  readonly config: Pick<Config, "remote" | "transport">;
}

interface Failed {
  readonly why: string;
}

/** By name below the session's folder; the id if git has the content. */
type Files = ReadonlyMap<string, { readonly text: string; readonly id?: string }>;

const roundsMax = 10;
const fileBytesMax = 1024 * 1024;
/** It names the plan by its path, which differs between machines. */
const sourceName = "source.json";

/**
 * Exchanges the files of a session with the other machines, through a ref at the remote. `unknown`: the remote has no
 * files of this session, and this machine neither.
 */
export async function exchangeFiles(
  { repository: { root }, config }: Place,
  session: string,
  isConductor: boolean,
): Promise<"exchanged" | "unknown" | Failed> {
  const remote = remoteOf(config);
  if (remote === undefined) return { why: "no `remote` is configured" };
  const ref = sessionFilesRef(session);
  const there = sharedRef(ref, remote.transport);
  for (let round = 0; round < roundsMax; round += 1) {
    const at = await fetchFiles(root, remote, session);
    if (typeof at === "object") return at;
    const before = await readRef(root, ref);
    const merged = await merge(root, session, { before, at, isConductor });
    if (merged.size === 0) return "unknown";
    const tree = await writeTree(root, merged);
    if (at !== undefined && tree === (await git(root, ["rev-parse", `${at}^{tree}`]))) {
      await changeRefs(root, [{ ref, to: at }]);
      return "exchanged";
    }
    const commit = await commitFiles(root, tree, at);
    const stopped = await pushRefs(root, remote, [{ ref: there, to: commit, from: at ?? null }]);
    if (stopped === undefined) {
      await changeRefs(root, [{ ref, to: commit }]);
      return "exchanged";
    }
    // Another machine was faster: its files are fetched first.
    const now = await fetchFiles(root, remote, session);
    if (typeof now === "object" || now === at) return { why: stopped.why };
  }
  return { why: "other machines kept changing the files of the session" };
}

/** The commit with the files at the remote; undefined if there is none. */
async function fetchFiles(
  root: string,
  remote: Remote,
  session: string,
): Promise<string | undefined | Failed> {
  const there = sharedRef(sessionFilesRef(session), remote.transport);
  const found = await readRemoteRefs(root, remote, [there]);
  if ("why" in found) return { why: String(found.why) };
  const at = found.get(there);
  const tracked = trackedFilesRef(remote.name, session);
  if (at === undefined || at === (await readRef(root, tracked))) return at;
  const failed = await fetchRefs(root, remote, { specs: [`+${there}:${tracked}`] });
  return failed ?? (await readRef(root, tracked));
}

interface Merging {
  readonly before: string | undefined;
  readonly at: string | undefined;
  readonly isConductor: boolean;
}

/** Writes what changed elsewhere into the session's folder, and returns all of its files. */
async function merge(root: string, session: string, { before, at, isConductor }: Merging): Promise<Files> {
  const [old, there] = await Promise.all([readTree(root, before), readTree(root, at)]);
  const folder = join(root, sessionsFolder, session);
  const paths = new Set([...there.keys(), ...listFiles(folder)]);
  const merged = new Map<string, { text: string; id?: string }>();
  for (const path of paths) {
    // Read and replaced without a pause in between: this process may append to the file at any other time.
    const here = readHere(root, folder, path);
    const known = there.get(path);
    const text = mergedFile(path, { before: old.get(path)?.text, here, there: known?.text }, isConductor);
    if (text === undefined) continue;
    merged.set(path, known?.text === text ? known : { text });
    if (text !== here) writeHere(root, session, path, text);
  }
  return merged;
}

function listFiles(folder: string, below = ""): readonly string[] {
  if (!existsSync(join(folder, below))) return [];
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(folder, path);
    return entry.isFile() && !entry.name.endsWith(".tmp") && isShort(join(folder, path)) ? [path] : [];
  });
}

function isShort(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= fileBytesMax;
}

function readHere(root: string, folder: string, path: string): string | undefined {
  const file = join(folder, path);
  if (!isShort(file)) return undefined;
  const text = readFileSync(file, "utf8");
  return path === sourceName ? withPath(text, (named) => fromRoot(root, named)) : text;
}

function writeHere(root: string, session: string, path: string, content: string): void {
  const below = join(sessionsFolder, session, path);
  makePlainFolder(root, dirname(below));
  const toRoot = (named: string) => (isAbsolute(named) ? named : join(root, named));
  const text = path === sourceName ? withPath(content, toRoot) : content;
  replaceFile(join(root, below), text, projectFile);
}

/** A plan inside the repository is named from its top folder; one outside exists only on its own machine. */
function fromRoot(root: string, path: string): string {
  const below = relative(root, path);
  return below.startsWith("..") || isAbsolute(below) ? path : below;
}

function withPath(text: string, change: (path: string) => string): string {
  const source = JSON.parse(text);
  return `${JSON.stringify({ ...source, path: change(String(source.path)) }, null, 2)}\n`;
}

async function readTree(root: string, commit: string | undefined): Promise<Files> {
  if (commit === undefined) return new Map();
  const listed = (await git(root, ["ls-tree", "-r", "-z", "--format=%(objectname) %(path)", commit])).split(
    "\0",
  );
  const entries = listed.flatMap((line) => {
    const at = line.indexOf(" ");
    return at < 0 ? [] : [[line.slice(at + 1), line.slice(0, at)] as const];
  });
  const files = new Map<string, { text: string; id: string }>();
  for (const [path, id] of entries) {
    const found = isPlainPath(path) ? await readObject(root, id) : undefined;
    if (found !== undefined) files.set(path, { text: found.bytes.toString("utf8"), id });
  }
  return files;
}

/** The remote is trusted with the files of the session, but not with paths outside its folder. */
function isPlainPath(path: string): boolean {
  return path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part !== ".git");
}

async function writeTree(root: string, files: Files): Promise<string> {
  const lines: string[] = [];
  for (const [path, { text, id }] of files) {
    const stored = id ?? (await git(root, ["hash-object", "-w", "--no-filters", "--stdin"], { input: text }));
    lines.push(`100644 ${stored}\t${path}\n`);
  }
  const folder = mkdtempSync(join(tmpdir(), "lockstep-files-"));
  try {
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    await git(root, ["update-index", "--add", "--index-info"], { input: lines.join(""), env });
    return await git(root, ["write-tree"], { env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function commitFiles(root: string, tree: string, parent: string | undefined): Promise<string> {
  const person = { NAME: "Lockstep", EMAIL: "lockstep@localhost" };
  const env = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) =>
      Object.entries(person).map(([key, value]) => [`GIT_${who}_${key}`, value]),
    ),
  );
  const parents = parent === undefined ? [] : ["-p", parent];
  return git(root, ["commit-tree", tree, ...parents, "-m", "the files of a session"], { env });
}
