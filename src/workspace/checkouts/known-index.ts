import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { fileMark } from "../files/file-mark.ts";

/** What an index of ours holds, so that git need not be asked. */
export interface KnownIndex {
  /** The commit that it was filled from; what it leaves out was judged by that. */
  readonly parent: string;
  readonly tree: string;
}

/** Says what the index holds as it is now. */
export function rememberIndex(index: string, { parent, tree }: KnownIndex): void {
  writeFileSync(noteOf(index), JSON.stringify({ parent, tree, mark: fileMark(index) }), { mode: 0o600 });
}

/** Undefined where nobody said so, or somebody has written the index since. */
export function knownIndex(index: string): KnownIndex | undefined {
  if (lstatSync(noteOf(index), { throwIfNoEntry: false }) === undefined) return undefined;
  const { parent, tree, mark } = JSON.parse(readFileSync(noteOf(index), "utf8"));
  return mark === fileMark(index) ? { parent, tree } : undefined;
}

function noteOf(index: string): string {
  return `${index}.tree`;
}
