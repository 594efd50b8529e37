import { realpathSync } from "node:fs";
import { isAbsolute, posix, relative } from "node:path";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";

/** Turns scope entries relative to the current folder into entries relative to the project's root. */
export function scopeFromHere(entries: readonly string[]): readonly string[] {
  const here = currentFolder();
  const { root, realRoot = root } = findProject(here).place;
  return entriesFrom(relative(realRoot, realpathSync(here)), entries);
}

/** `folder`: relative to the root; empty for the root itself. */
export function entriesFrom(folder: string, entries: readonly string[]): readonly string[] {
  if (folder === "") return entries;
  return entries.map((entry) => (isAbsolute(entry) || entry === "" ? entry : posix.join(folder, entry)));
}

/** As `scopeFromHere`; prints the entries if they differ from what was typed. */
export function tellScope<Typed extends readonly string[] | undefined>(
  typed: Typed,
  tell: (line: string) => void,
): Typed | readonly string[] {
  const resolved = typed && scopeFromHere(typed);
  if (resolved?.some((entry, at) => entry !== typed?.[at]))
    tell(`scope, relative to the project's root: ${resolved.join(", ")}`);
  return resolved ?? typed;
}
