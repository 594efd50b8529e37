import { memoryFiles } from "../names/session-paths.ts";

/** One file of a session in three versions; undefined where it does not exist. */
export interface Versions {
  /** What this machine and the others had in common. */
  readonly before: string | undefined;
  readonly here: string | undefined;
  readonly there: string | undefined;
}

/**
 * The content of a file that two machines may have changed: what both appended, in the order in which it became known;
 * for other files the conductor's. A file is never removed.
 */
export function mergedFile(
  path: string,
  { before, here, there }: Versions,
  isConductor: boolean,
): string | undefined {
  if (here === undefined || here === before) return there ?? here;
  if (there === undefined || there === before) return here;
  if (!isAppended(path)) return isConductor ? here : there;
  const known = before ?? "";
  return `${there}${here.startsWith(known) ? here.slice(known.length) : here}`;
}

/** Files that are only appended to. */
function isAppended(path: string): boolean {
  return path.startsWith("worklogs/") || memoryFiles.some((name) => name === path);
}
