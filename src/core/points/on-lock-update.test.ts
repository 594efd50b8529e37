import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judge } from "../../../test/support/judge.ts";
import { readEntry } from "../paths/entry.ts";
import { PathIndex } from "../paths/path-index.ts";
import * as onLockUpdate from "./on-lock-update.ts";

const lock = (task_id: unknown, resource: unknown, active: unknown = true) => ({ task_id, resource, active });

describe("the lock table", () => {
  it.each<[string, unknown, string]>([
    ["empty", { locks: [] }, "OK"],
    ["bare and empty", [], "OK"],
    ["disjoint", [lock("A", "src/a.py"), lock("B", "src/b.py")], "OK"],
    ["the same path twice", [lock("A", "src"), lock("B", "src")], "R-LK-001"],
    ["a folder and a path in it", [lock("A", "src"), lock("B", "src/a.py")], "R-LK-001"],
    ["a path and then its folder", [lock("A", "src/a.py"), lock("B", "./src/")], "R-LK-001"],
    ["the same name prefix", [lock("A", "src"), lock("B", "src2")], "OK"],
    ["one task twice", [lock("A", "src"), lock("A", "src/a.py")], "OK"],
    ["one task on both sides of another", [lock("A", "x"), lock("B", "src"), lock("A", "src/a")], "R-LK-001"],
    ["an inactive one", [lock("A", "src", false), lock("B", "src/a.py")], "OK"],
    ["globs that meet", [lock("A", "src/*.ts"), lock("B", "src/a*")], "R-LK-001"],
    ["globs that cannot meet", [lock("A", "src/*.ts"), lock("B", "src/*.py")], "OK"],
    ["everything", [lock("A", "."), lock("B", "z")], "R-LK-001"],
    ["no list at all", {}, "R-LK-001"],
    ["a null list", { locks: null }, "R-LK-001"],
    ["a list of texts", ["src"], "R-LK-001"],
    ["a blank resource", [lock("A", "   ")], "R-LK-001"],
    ["a resource that leaves the project", [lock("A", "../x")], "R-LK-001"],
    ["active as a word", [lock("A", "src", "true")], "R-LK-001"],
    ["no task", [lock(undefined, "src")], "R-LK-001"],
  ])("%s: %j gives %s", async (_, payload, code) => {
    expect((await judge(onLockUpdate, payload)).code).toBe(code);
  });

  it("names both locks", async () => {
    const verdict = await judge(onLockUpdate, [lock("A", "src"), lock("B", "lib"), lock("C", "src/a.py")]);
    expect(verdict.details).toEqual({ a: "A", b: "C", resource_a: "src", resource_b: "src/a.py" });
  });

  it("agrees with comparing every pair, in any order", async () => {
    const place = { root: "/repo" };
    const entryOf = (text: string) => {
      const read = readEntry(text, place);
      if ("error" in read) throw new Error(read.error);
      return read.entry;
    };
    const overlap = (a: string, b: string) => {
      const index = new PathIndex();
      index.add("a", entryOf(a));
      return index.overlapping(entryOf(b)) !== undefined;
    };
    const path = fc
      .array(fc.constantFrom("a", "b", "*", "a*", "**"), { minLength: 1, maxLength: 3 })
      .map((segments) => segments.join("/"));
    const record = fc.record({
      task_id: fc.constantFrom("A", "B", "C"),
      resource: path,
      active: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 6 }), async (records) => {
        const active = records.filter((one) => one.active);
        const model = active.some((a) =>
          active.some((b) => a.task_id !== b.task_id && overlap(a.resource, b.resource)),
        );
        expect((await judge(onLockUpdate, records)).allow).toBe(!model);
        expect((await judge(onLockUpdate, records.toReversed())).allow).toBe(!model);
      }),
      { numRuns: 2000 },
    );
  });
});
