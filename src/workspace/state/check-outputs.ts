import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";

/** The newest outputs are always kept; older ones only as long as something refers to them. */
const outputsMax = 200;
const recordsMax = 1000;
/** So many more may be there before the oldest are removed, because a removal reads the times of all. */
const recordsMore = 200;
/** A running command may not have recorded its output's path yet. */
const youngMs = 60 * 60_000;

type CheckedTree = "base" | "merged" | "the change" | "merged, the base's tests";

/** One check of the last proof of a task or branch. */
export interface RecordedCheck {
  readonly command: string;
  /** The tree that `outcome` and `exit` belong to; missing in records of earlier versions. */
  readonly on?: CheckedTree;
  readonly outcome: string;
  readonly exit: number | null;
  /** The file with the whole output, if the check failed. */
  readonly log: string | null;
  /** Set if the kept output is from the run on the base, where a check may be expected to fail. */
  readonly log_on?: "base";
}

export interface RecordedProof {
  readonly name: string;
  readonly at: string;
  readonly checks: readonly RecordedCheck[];
}

/** Keeps the whole output of a failed check and returns its path. Secrets are already masked. */
export function keepOutput(stateFolder: string, output: string): string {
  const folder = openFolder(stateFolder, "checks");
  const time = new Date().toISOString().replace(/[-:.]/g, "");
  const path = join(folder, `${time}-${randomBytes(4).toString("hex")}.log`);
  replaceFile(path, output);
  return path;
}

/** Undefined if the output is no longer kept. */
export function readOutput(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Replaces the previous record of the task or branch. Returns its file. */
export function recordProof(stateFolder: string, proof: RecordedProof): string {
  const folder = openFolder(stateFolder, "proofs");
  const file = join(folder, recordName(proof.name));
  replaceFile(file, JSON.stringify(proof));
  tidyRecords(folder);
  return file;
}

export function readProof(stateFolder: string, name: string): RecordedProof | undefined {
  const text = readOutput(join(folderOf(stateFolder, "proofs"), recordName(name)));
  try {
    const proof: RecordedProof | undefined = text === undefined ? undefined : JSON.parse(text);
    return proof?.name === name && Array.isArray(proof.checks) ? proof : undefined;
  } catch {
    return undefined;
  }
}

/** Paths of the outputs written before a time. They can be removed if nothing refers to them. */
export function outputsBefore(stateFolder: string, ms: number): readonly string[] {
  const folder = folderOf(stateFolder, "checks");
  const paths = list(folder).map((name) => join(folder, name));
  return paths.filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? ms) < ms);
}

/** Paths of all outputs except the newest. They can be removed if nothing refers to them. */
export function oldOutputs(stateFolder: string): readonly string[] {
  const folder = folderOf(stateFolder, "checks");
  const older = list(folder).toSorted().slice(0, -outputsMax);
  return older.map((name) => join(folder, name)).filter(isOld);
}

export function removeOutputs(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

/** Removes the oldest records, because deleted branches leave theirs behind. */
function tidyRecords(folder: string): void {
  const all = list(folder).map((name) => join(folder, name));
  if (all.length <= recordsMax + recordsMore) return;
  const written = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const byAge = all.map((path) => ({ path, at: written(path) })).sort((one, other) => one.at - other.at);
  removeOutputs(byAge.slice(0, -recordsMax).map(({ path }) => path));
}

function isOld(path: string): boolean {
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - written > youngMs;
}

function list(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function folderOf(stateFolder: string, kind: "checks" | "proofs"): string {
  return join(stateFolder, "logs", kind);
}

function openFolder(stateFolder: string, kind: "checks" | "proofs"): string {
  const folder = folderOf(stateFolder, kind);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A hash, because a branch name may contain any character. */
function recordName(name: string): string {
  return `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.json`;
}
