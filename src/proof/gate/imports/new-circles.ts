import { circleGroups, circleThrough, type ImportGraph } from "./import-graph.ts";
import { type ImportScan, isScript, type Link } from "./import-scan.ts";

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
 * Circles that did not exist before the merge. Each of them has an edge that is new, so that only what new edges
 * lead to has to be looked at, and only what may lead back to them has to be parsed. Imports of types and those
 * that wait until they are called close none.
 */
export async function newCircles(scan: ImportScan, changed: readonly string[]): Promise<Circles> {
  const paths = await suspects(scan, changed);
  const graph: ImportGraph = new Map(paths.map((path) => [path, targetsIn(scan.links(path))]));
  const groups = circleGroups(graph);
  const found: Circle[] = [];
  const told = new Set<string>();
  const touched = new Set<number>();
  let more = false;
  // Prefer to report a changed file.
  const members = paths.filter((path) => groups.has(path));
  for (const path of members.toSorted((a, b) => Number(scan.isChanged(b)) - Number(scan.isChanged(a)))) {
    const group = groups.get(path) as number;
    for (const to of newTargets(scan, path)) {
      if (groups.get(to) !== group) continue;
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

/** The scripts that may lie on a circle with a new edge, as far as the names in them tell. */
async function suspects(scan: ImportScan, changed: readonly string[]): Promise<readonly string[]> {
  const added = new Map(changed.map((path) => [path, newTargets(scan, path)]));
  const reached = await scan.reachable([...added.values()].flat());
  if (!changed.some((path) => reached.has(path))) return [];
  const paths = [...new Set([...changed, ...reached])];
  const isKnown = new Set(changed);
  const groups = circleGroups(
    new Map(
      paths.map((path) => [path, isKnown.has(path) ? targetsIn(scan.links(path)) : scan.mayLeadTo(path)]),
    ),
  );
  const closed = new Set(
    [...added].flatMap(([path, targets]) =>
      targets.some((to) => groups.get(to) === groups.get(path)) ? [groups.get(path)] : [],
    ),
  );
  closed.delete(undefined);
  return paths.filter((path) => closed.has(groups.get(path)));
}

function newTargets(scan: ImportScan, path: string): readonly string[] {
  const before = targetsIn(scan.linksBefore(path));
  return [...targetsIn(scan.links(path))].filter((to) => !before.has(to));
}

function targetsIn(links: readonly Link[]): ReadonlySet<string> {
  const targets = new Set<string>();
  for (const { imported, to } of links)
    if (imported.kind === "value" && to.kind === "file" && isScript(to.path)) targets.add(to.path);
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
