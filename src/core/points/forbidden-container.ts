import type { Entry, Shape } from "../paths/entry.ts";
import type { PathIndex } from "../paths/path-index.ts";
import { segmentPattern } from "../paths/segment-pattern.ts";

/** A forbidden entry that contains the whole lock entry, or everything below it if that is a plain path. */
export function containerOf(entry: Entry, forbidden: PathIndex): string | undefined {
  let container: string | undefined;
  for (const shape of entry.shapes) {
    const found =
      forbidden.covering(shape) ?? (isPlain(shape) ? forbidden.covering(below(shape)) : undefined);
    if (found === undefined) return undefined;
    container ??= found.text;
  }
  return container;
}

function isPlain(shape: Shape): boolean {
  return shape.deep && shape.segments.every((segment) => typeof segment === "string");
}

function below(shape: Shape): Shape {
  return { segments: [...shape.segments, segmentPattern("*")], deep: true };
}
