import { type BigIntStats, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { splitAtZero } from "./read-diff.ts";
import { type GitOptions, gitBytes } from "./run-git.ts";

/** After this time a cached answer is read again, to notice files that it does not name, such as new ones. */
const agedMs = 1_000;
/** A file that changed less than this time ago can change again with the same ctime. */
const settledMs = 100;

const knownMax = 100;

interface Known {
  readonly filters: readonly string[];
  readonly atMs: number;
  /** The configuration files, each with its fingerprint. */
  readonly marks: readonly (readonly [file: string, mark: string])[];
}

const known = new Map<string, Known>();

/** The filters that are configured for a folder, as `filter.NAME`. Read again when a configuration file has changed. */
export async function filtersIn(folder: string, options: GitOptions = {}): Promise<readonly string[]> {
  const key = JSON.stringify([folder, options.env]);
  const before = known.get(key);
  if (before !== undefined && isFresh(before)) return before.filters;
  const asked = { atMs: performance.now(), wallMs: Date.now() };
  const words = ["config", "--null", "--show-origin", "--name-only", "--list"];
  const fields = splitAtZero(await gitBytes(folder, words, options)).map(String);
  const names = fields.flatMap((field, at) => (at % 2 === 1 ? (filterKey.exec(field)?.[1] ?? []) : []));
  const filters = [...new Set(names)];
  const files = [...usualFiles(), ...originsIn(fields).map((file) => resolve(folder, file))];
  const isSettled = files.every((file) => changedMs(file) < asked.wallMs - settledMs);
  known.delete(key);
  if (known.size >= knownMax) known.clear();
  if (isSettled)
    known.set(key, { filters, atMs: asked.atMs, marks: files.map((file) => [file, markOf(file)]) });
  return filters;
}

const filterKey = /^(filter\..*)\.(?:clean|smudge|process)$/s;

function isFresh({ atMs, marks }: Known): boolean {
  return performance.now() - atMs < agedMs && marks.every(([file, mark]) => markOf(file) === mark);
}

/** Origins and names alternate; origins that are files start with `file:`. */
function originsIn(fields: readonly string[]): readonly string[] {
  const files = fields.flatMap((field, at) =>
    at % 2 === 0 && field.startsWith("file:") ? field.slice(5) : [],
  );
  return [...new Set(files)];
}

function usualFiles(): readonly string[] {
  const { XDG_CONFIG_HOME: configured } = process.env;
  return [join(homedir(), ".gitconfig"), join(configured || join(homedir(), ".config"), "git", "config")];
}

/** A fingerprint from the metadata. The ctime cannot be set by a program. */
function markOf(file: string): string {
  const found = statOf(file);
  return found === undefined ? "none" : `${found.dev} ${found.ino} ${found.size} ${found.ctimeNs}`;
}

function changedMs(file: string): number {
  return Number(statOf(file)?.ctimeMs ?? 0);
}

/** Undefined also for a file that this user cannot read: git ignores it too. */
function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return undefined;
    throw error;
  }
}
