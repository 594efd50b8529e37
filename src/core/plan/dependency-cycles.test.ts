import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCycles } from "./dependency-cycles.ts";

const graphs = fc
  .array(fc.uniqueArray(fc.nat(9), { maxLength: 3 }), { maxLength: 10 })
  .map((lists) => new Map(lists.map((list, index) => [`${index}`, list.map((other) => `${other}`)])));

describe("cycles of dependencies", () => {
  it("are not found in a graph without cycles of any length", () => {
    const line = new Map(Array.from({ length: 20_000 }, (_, index) => [`t${index}`, [`t${index + 1}`]]));
    expect(findCycles(line)).toEqual([]);
  });

  it("are named from the first task to itself", () => {
    const graph = new Map([
      ["x", ["a"]],
      ["a", ["b", "unknown"]],
      ["b", ["c"]],
      ["c", ["a"]],
    ]);
    expect(findCycles(graph)).toEqual([{ task: "c", dependency: "a", way: ["a", "b", "c", "a"] }]);
  });

  it("are gone without the dependencies that close them, and each of them is a real cycle", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const found = findCycles(graph);
        for (const { task, dependency, way } of found) {
          expect([way.at(-2), way.at(-1), way[0]]).toEqual([task, dependency, dependency]);
          for (const [index, id] of way.slice(0, -1).entries())
            expect(graph.get(id)).toContain(way[index + 1]);
        }
        const closes = (task: string, id: string) =>
          found.some((one) => one.task === task && one.dependency === id);
        const open = new Map(
          [...graph].map(([task, list]) => [task, list.filter((id) => !closes(task, id))] as const),
        );
        expect(findCycles(open)).toEqual([]);
        expect(isOrdered(open)).toBe(true);
      }),
    );
  });
});

/** An independent check: tasks without open dependencies are removed until none remains. */
function isOrdered(graph: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(graph);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [task, list] of left) if (!list.some((id) => left.has(id))) left.delete(task);
  }
  return left.size === 0;
}
