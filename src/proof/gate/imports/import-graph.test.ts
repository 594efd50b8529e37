import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { circleGroups, circleThrough, type ImportGraph } from "./import-graph.ts";

const nodes = ["a", "b", "c", "d", "e", "f"] as const;
const graphs = fc
  .array(fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...nodes)), { maxLength: 14 })
  .map((pairs) => {
    const graph = new Map(nodes.map((node) => [node as string, new Set<string>()]));
    for (const [from, to] of pairs) graph.get(from)?.add(to);
    return graph;
  });

function reaches(graph: ImportGraph, from: string, to: string): boolean {
  const seen = new Set(graph.get(from));
  for (const node of seen) for (const next of graph.get(node) ?? []) seen.add(next);
  return seen.has(to);
}

describe("groups of circles", () => {
  it("contain two files exactly if each reaches the other", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const groups = circleGroups(graph);
        for (const a of nodes) {
          expect(groups.has(a)).toBe(reaches(graph, a, a));
          for (const b of nodes)
            if (a !== b && groups.has(a) && groups.has(b))
              expect(groups.get(a) === groups.get(b)).toBe(reaches(graph, a, b) && reaches(graph, b, a));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("are found in a chain of any length", () => {
    const length = 50_000;
    const graph = new Map(Array.from({ length }, (_, at) => [`${at}`, new Set([`${(at + 1) % length}`])]));
    expect(new Set(circleGroups(graph).values()).size).toBe(1);
    expect(circleThrough(graph, { from: "0", to: "1" })).toHaveLength(length + 1);
  });
});

describe("a circle through an edge", () => {
  it("follows edges from that edge back to its start", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const groups = circleGroups(graph);
        for (const [from, targets] of graph)
          for (const to of targets) {
            if (groups.get(from) === undefined || groups.get(from) !== groups.get(to)) continue;
            const circle = circleThrough(graph, { from, to });
            expect(circle.slice(0, 2)).toEqual([from, to]);
            expect(circle.at(-1)).toBe(from);
            for (const [at, node] of circle.slice(0, -1).entries())
              expect(graph.get(node)?.has(circle[at + 1] as string)).toBe(true);
          }
      }),
      { numRuns: 1000 },
    );
  });
});
