import type { Disk } from "./place.ts";
import { isPattern, matchesSegment, segmentPattern } from "./segment-pattern.ts";

const globMatchesMax = 256;

/** The existing paths that match an absolute pattern, at most `globMatchesMax`, so that links can be followed. */
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

const visitsMax = 5000;

/** Links below a folder whose names match a pattern. The search stops after `visitsMax` names. */
export function linksBelow(folder: string, names: string, disk: Disk): readonly string[] {
  const wanted = segmentPattern(names);
  const links: string[] = [];
  const open = [folder];
  let visits = 0;
  for (let at = open.pop(); at !== undefined && visits < visitsMax; at = open.pop()) {
    const real = disk.realPath(at);
    for (const name of disk.namesIn?.(at) ?? []) {
      visits += 1;
      const path = `${at}/${name}`;
      if (disk.realPath(path) !== `${real}/${name}`) {
        if (matchesSegment(wanted, name)) links.push(path);
      } else if (disk.kindOf(path) === "folder") open.push(path);
    }
  }
  return links;
}
