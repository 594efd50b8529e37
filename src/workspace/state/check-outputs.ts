import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";

/** The newest that are kept in any case; older ones only as long as something needs them. */
const outputsMax = 200;
const recordsMax = 1000;
/** A command that is still at work may be about to tell of its own. */
const youngMs = 60 * 60_000;

type CheckedTree = "base" | "merged" | "the change" | "merged, the base's tests";

/** One check of the last proof of a task or branch. */
export interface RecordedCheck {
  readonly command: string;
  /** The tree that outcome and exit are of; a record of an earlier version does not say it. */
  readonly on?: CheckedTree;
  readonly outcome: string;
  readonly exit: number | null;
  /** Where all that it printed is kept, if it failed. */
  readonly log: string | null;
  /** Where what is kept was printed on the base: it failed there, and may have to. */
  readonly log_on?: "base";
}

export interface RecordedProof {
  readonly name: string;
  readonly at: string;
  readonly checks: readonly RecordedCheck[];
}

/** Keeps all that a failed check printed, secrets masked already; gives the path. */
export function keepOutput(stateFolder: string, output: string): string {
  const folder = openFolder(stateFolder, "checks");
  const time = new Date().toISOString().replace(/[-:.]/g, "");
  const path = join(folder, `${time}-${randomBytes(4).toString("hex")}.log`);
  replaceFile(path, output);
  return path;
}

/** Undefined where it is no longer kept. */
export function readOutput(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** The newest takes the place of the one before. */
export function recordProof(stateFolder: string, proof: RecordedProof): void {
  const folder = openFolder(stateFolder, "proofs");
  replaceFile(join(folder, recordName(proof.name)), JSON.stringify(proof));
  tidyRecords(folder);
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

/** Outputs that were written before a time, by their paths: they can go where nothing needs them. */
export function outputsBefore(stateFolder: string, ms: number): readonly string[] {
  const folder = folderOf(stateFolder, "checks");
  const paths = list(folder).map((name) => join(folder, name));
  return paths.filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? ms) < ms);
}

/** Outputs beyond the newest, by their paths: they can go where nothing needs them. */
export function oldOutputs(stateFolder: string): readonly string[] {
  const folder = folderOf(stateFolder, "checks");
  const older = list(folder).toSorted().slice(0, -outputsMax);
  return older.map((name) => join(folder, name)).filter(isOld);
}

export function removeOutputs(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

/** A branch that is long gone leaves its record. */
function tidyRecords(folder: string): void {
  const all = list(folder).map((name) => join(folder, name));
  if (all.length <= recordsMax) return;
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

/** A branch may have any name. */
function recordName(name: string): string {
  return `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.json`;
}
