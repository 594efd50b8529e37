import type { Disk } from "./place.ts";
import { isPattern, matchesSegment, segmentPattern } from "./segment-pattern.ts";

const globMatchesMax = 256;

/** The paths that exist for an absolute pattern, so that links among them can be followed. Bounded. */
export function expandGlob(pattern: string, disk: Disk): readonly string[] {
  if (disk.namesIn === undefined) return [];
  let found = [""];
  for (const segment of pattern.split("/").filter((part) => part !== "")) {
    found = isPattern(segment)
      ? found.flatMap((folder) => matches(folder, segment, disk))
      : found.map((folder) => `${folder}/${segment}`);
    if (found.length > globMatchesMax) return found.slice(0, globMatchesMax);
  }
  return found;
}

function matches(folder: string, segment: string, disk: Disk): string[] {
  const wanted = segmentPattern(segment === "**" ? "*" : segment);
  const names = disk.namesIn?.(folder === "" ? "/" : folder) ?? [];
  return names.filter((name) => matchesSegment(wanted, name)).map((name) => `${folder}/${name}`);
}
