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
  readonly settings: readonly string[];
  readonly atMs: number;
  /** The configuration files, each with its fingerprint. */
  readonly marks: readonly (readonly [file: string, mark: string])[];
}

const known = new Map<string, Known>();

/** The filters that are configured for a folder, as `filter.NAME`. */
export async function filtersIn(folder: string, options: GitOptions = {}): Promise<readonly string[]> {
  const settings = await settingsIn(folder, options);
  return [...new Set(settings.flatMap((setting) => filterKey.exec(setting)?.[1] ?? []))];
}

/** Whether a setting is on, as git reads it: the last value counts, and a name without a value is true. */
export function isOn(settings: readonly string[], name: string): boolean {
  const last = settings.findLast((setting) => setting === name || setting.startsWith(`${name}\n`));
  return last === name || /^(?:true|yes|on|[+-]?0*[1-9]\d*[kmg]?)$/i.test(last?.slice(name.length + 1) ?? "");
}

/**
 * Every setting of a folder as `NAME`, a line break and the value; a setting can have no value, and occur more than once.
 * Read again when a configuration file has changed.
 */
export async function settingsIn(folder: string, options: GitOptions = {}): Promise<readonly string[]> {
  const key = JSON.stringify([folder, options.env]);
  const before = known.get(key);
  if (before !== undefined && isFresh(before)) return before.settings;
  const asked = { atMs: performance.now(), wallMs: Date.now() };
  const words = ["config", "--null", "--show-origin", "--list"];
  const fields = splitAtZero(await gitBytes(folder, words, options)).map(String);
  const settings = fields.filter((_field, at) => at % 2 === 1);
  const files = [...usualFiles(), ...originsIn(fields).map((file) => resolve(folder, file))];
  const isSettled = files.every((file) => changedMs(file) < asked.wallMs - settledMs);
  known.delete(key);
  if (known.size >= knownMax) known.clear();
  if (isSettled)
    known.set(key, { settings, atMs: asked.atMs, marks: files.map((file) => [file, markOf(file)]) });
  return settings;
}

const filterKey = /^(filter\.[^\n]*)\.(?:clean|smudge|process)(?:\n|$)/;

function isFresh({ atMs, marks }: Known): boolean {
  return performance.now() - atMs < agedMs && marks.every(([file, mark]) => markOf(file) === mark);
}

/** Origins and settings alternate; origins that are files start with `file:`. */
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
