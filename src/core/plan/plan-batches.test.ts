import { describe, expect, it } from "vitest";
import { memoryDisk } from "../../../test/support/memory-disk.ts";
import { idsOf, place, planned, usualLimits } from "./plan.test-support.ts";
import { planBatches } from "./plan-batches.ts";
import { overlapOf, type PlannedTask, plannedTask } from "./planned-task.ts";

const batchesOf = (tasks: readonly PlannedTask[], more = {}) =>
  planBatches(tasks, { ...usualLimits, ...more }).map(idsOf);

describe("the batches of a plan", () => {
  it("hold at most four tasks, in the plan's order", () => {
    const tasks = ["a", "b", "c", "d", "e", "f"].map((id) => planned(id, [`src/${id}`]));
    expect(batchesOf(tasks)).toEqual([
      ["a", "b", "c", "d"],
      ["e", "f"],
    ]);
    expect(batchesOf(tasks, { maxParallel: 2 })).toEqual([
      ["a", "b"],
      ["c", "d"],
      ["e", "f"],
    ]);
  });

  it("keep tasks with overlapping scopes apart", () => {
    const tasks = [planned("a", ["src/**"]), planned("b", ["src/x.ts"]), planned("c", ["docs"])];
    expect(batchesOf(tasks)).toEqual([["a", "c"], ["b"]]);
  });

  it("give the whole repository to one task at a time", () => {
    const tasks = [planned("a", ["."]), planned("b", ["x"]), planned("c", ["."]), planned("d", ["y"])];
    expect(batchesOf(tasks)).toEqual([["a"], ["b", "d"], ["c"]]);
  });

  it("put a task after its dependencies", () => {
    const tasks = [
      planned("a", ["a"], { dependsOn: ["c"] }),
      planned("b", ["b"]),
      planned("c", ["c"], { dependsOn: ["b"] }),
    ];
    expect(batchesOf(tasks)).toEqual([["b"], ["c"], ["a"]]);
  });

  it("share a resource among the allowed number of tasks, one by default", () => {
    const tasks = ["a", "b", "c"].map((id) => planned(id, [id], { uses: ["database"] }));
    expect(batchesOf(tasks)).toEqual([["a"], ["b"], ["c"]]);
    expect(batchesOf(tasks, { resources: { database: 2 } })).toEqual([["a", "b"], ["c"]]);
  });

  it("do not exist for tasks that wait for each other", () => {
    const tasks = [planned("a", ["a"], { dependsOn: ["b"] }), planned("b", ["b"], { dependsOn: ["a"] })];
    expect(() => batchesOf(tasks)).toThrow("a can never start");
  });
});

describe("two tasks overlap", () => {
  it.each<[string, string[], string[], { a: string; b: string } | undefined]>([
    ["in the same file", ["x", "src/a"], ["src/a"], { a: "src/a", b: "src/a" }],
    ["in a folder and a path below it", ["src"], ["y", "src/a/b"], { a: "src", b: "src/a/b" }],
    ["in two globs that could meet", ["src/**/x.ts"], ["src/a/*"], { a: "src/**/x.ts", b: "src/a/*" }],
    ["not in names that begin alike", ["src"], ["src-old"], undefined],
    ["not in two globs that cannot meet", ["src/*.ts"], ["src/*.css"], undefined],
  ])("%s", (_, a, b, overlap) => {
    expect(overlapOf(planned("a", a), planned("b", b))).toEqual(overlap);
  });

  it("if a link makes two names equal", () => {
    const disk = memoryDisk({ "/project/lib": { to: "/project/src" } });
    const read = (id: string, path: string) =>
      plannedTask({ id, depends_on: [], lock_scope: [path], uses: [] }, { place, disk });
    expect(overlapOf(read("a", "lib/x"), read("b", "src/x"))).toEqual({ a: "lib/x", b: "src/x" });
    expect(() => read("a", "../x")).toThrow("the scope of a cannot be read");
  });
});
