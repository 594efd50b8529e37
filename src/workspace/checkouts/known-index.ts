import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { fileMark } from "../files/file-mark.ts";

/** The recorded content of an index of ours, so that git need not be asked. */
export interface KnownIndex {
  /** The commit that it was filled from, which also decides which files are left out. */
  readonly parent: string;
  readonly tree: string;
}

/** Records the current content of the index. */
export function rememberIndex(index: string, { parent, tree }: KnownIndex): void {
  writeFileSync(noteOf(index), JSON.stringify({ parent, tree, mark: fileMark(index) }), { mode: 0o600 });
}

/** Undefined if nothing was recorded, or if the index was written since. */
export function knownIndex(index: string): KnownIndex | undefined {
  if (lstatSync(noteOf(index), { throwIfNoEntry: false }) === undefined) return undefined;
  const { parent, tree, mark } = JSON.parse(readFileSync(noteOf(index), "utf8"));
  return mark === fileMark(index) ? { parent, tree } : undefined;
}

function noteOf(index: string): string {
  return `${index}.tree`;
}
