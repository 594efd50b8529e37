import { fileKind } from "../reading/file-kind.ts";
import { circleGroups, circleThrough, type ImportGraph } from "./import-graph.ts";
import type { ImportScan, Link } from "./import-scan.ts";

export interface Circle {
  /** The import that closed it. */
  readonly path: string;
  readonly line: number;
  /** The files in order; the last is the first again. */
  readonly files: readonly string[];
}

export interface Circles {
  readonly found: readonly Circle[];
  /** One file of each group of circles that were there before. */
  readonly old: readonly string[];
  readonly more: boolean;
}

const circlesMax = 20;

/**
 * Circles that did not exist before the merge. Each of them has an edge that is new, and each new edge whose ends
 * reach each other closes one, so that no circle of the base needs to be looked for. Imports of types and those
 * that wait until they are called close none.
 */
export function newCircles(scan: ImportScan, paths: readonly string[]): Circles {
  const graph: ImportGraph = new Map(paths.map((path) => [path, targetsIn(scan.links(path))]));
  const groups = circleGroups(graph);
  const found: Circle[] = [];
  const told = new Set<string>();
  const touched = new Set<number>();
  let more = false;
  // A changed file is the better one to blame.
  const members = paths.filter((path) => groups.has(path));
  for (const path of members.toSorted((a, b) => Number(scan.isChanged(b)) - Number(scan.isChanged(a)))) {
    const before = targetsIn(scan.linksBefore(path));
    const group = groups.get(path) as number;
    for (const to of graph.get(path) ?? []) {
      if (before.has(to) || groups.get(to) !== group) continue;
      touched.add(group);
      if (told.has(`${path}\0${to}`)) continue;
      more = found.length === circlesMax;
      if (more) break;
      const files = circleThrough(graph, { from: path, to });
      for (const [at, file] of files.entries()) told.add(`${file}\0${files[at + 1]}`);
      found.push({ path, line: lineOf(scan.links(path), to), files });
    }
  }
  return { found, old: firstOfEach(groups, touched), more };
}

function targetsIn(links: readonly Link[]): ReadonlySet<string> {
  const targets = new Set<string>();
  for (const { imported, to } of links)
    if (imported.kind === "value" && to.kind === "file" && fileKind(to.path) === "script")
      targets.add(to.path);
  return targets;
}

function lineOf(links: readonly Link[], target: string): number {
  const link = links.find(
    ({ imported, to }) => imported.kind === "value" && to.kind === "file" && to.path === target,
  );
  return link?.imported.line ?? 1;
}

function firstOfEach(groups: ReadonlyMap<string, number>, without: ReadonlySet<number>): string[] {
  const seen = new Set(without);
  const first: string[] = [];
  for (const [path, group] of groups)
    if (!seen.has(group)) {
      seen.add(group);
      first.push(path);
    }
  return first;
}
