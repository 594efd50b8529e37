import { anyDepth, type Entry, type Segment, type Shape } from "./entry.ts";
import { segmentPattern } from "./segment-pattern.ts";

/** A shape as JSON: a name is a string, a pattern is `{glob}`, `**` is null. */
export interface StoredShape {
  readonly segments: readonly (string | { readonly glob: string } | null)[];
  readonly deep: boolean;
}

export function storeShape({ segments, deep }: Shape): StoredShape {
  const store = (segment: Segment) =>
    segment === anyDepth ? null : typeof segment === "string" ? segment : { glob: segment.text };
  return { segments: segments.map(store), deep };
}

/** A lock's entry as it was when the lock was taken, even if its links have changed since. */
export function entryFrom(text: string, shapes: readonly StoredShape[]): Entry {
  return {
    text,
    shapes: shapes.map(({ segments, deep }) => ({
      deep,
      segments: segments.map((segment) =>
        segment === null ? anyDepth : typeof segment === "string" ? segment : segmentPattern(segment.glob),
      ),
    })),
  };
}

/** The names before the first wildcard. Two shapes can overlap only if one prefix starts with the other. */
export function literalPrefix({ segments }: Shape | StoredShape): string {
  const wild = segments.findIndex((segment) => typeof segment !== "string");
  return (wild < 0 ? segments : segments.slice(0, wild)).join("/");
}
