import { type Entry, fileEntry, plainEntry, readEntry, splitPath } from "./entry.ts";
import { PathIndex } from "./path-index.ts";
import type { Disk, Place } from "./place.ts";
import { segmentPattern } from "./segment-pattern.ts";

const scopeEntriesMax = 1000;

/** A set of paths, given as entries. */
export class Scope {
  readonly #index = new PathIndex();
  readonly #place: Place;

  constructor(entries: Iterable<Entry>, place: Place) {
    this.#place = place;
    for (const entry of entries) this.#index.add(entry.text, entry);
  }

  /** The entry that contains a single path. */
  entryOf(path: string): string | undefined {
    return this.#index.covering({ segments: splitPath(path, this.#place), deep: false })?.text;
  }

  /** True if one entry contains the path and everything below it. */
  holdsTree(path: string): boolean {
    return this.#index.covers(plainEntry(path, this.#place));
  }

  /** True if one entry contains everything below the folder; the folder itself need not be in it. */
  holdsBelow(path: string): boolean {
    const segments = [...splitPath(path, this.#place), segmentPattern("*")];
    return this.#index.covering({ segments, deep: true }) !== undefined;
  }

  holds(entry: Entry): boolean {
    return this.#index.covers(entry);
  }

  /** An entry that can match at least one path of the given entry. */
  touching(entry: Entry): string | undefined {
    return this.#index.overlapping(entry)?.text;
  }

  /** An entry at, above or below the path: one that deleting or moving a folder would affect. */
  touchingTree(path: string): string | undefined {
    return this.touching(plainEntry(path, this.#place));
  }

  touchingPath(path: string): string | undefined {
    return this.touching(fileEntry(path, this.#place));
  }
}

export type EntriesResult =
  | { readonly entries: readonly Entry[] }
  | { readonly index: number; readonly error: string };

/** All entries of a scope, or the first invalid one with the cause. */
export function readEntries(texts: readonly string[], place: Place, disk?: Disk): EntriesResult {
  if (texts.length > scopeEntriesMax)
    return { index: scopeEntriesMax, error: `a scope has at most ${scopeEntriesMax} entries` };
  const entries: Entry[] = [];
  for (const [index, text] of texts.entries()) {
    const result = readEntry(text, place, disk);
    if ("error" in result) return { index, error: result.error };
    entries.push(result.entry);
  }
  return { entries };
}
