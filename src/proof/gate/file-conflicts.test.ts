import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkFileConflicts } from "./file-conflicts.ts";

const found = (batch: Record<string, string[]>) => {
  const result = checkFileConflicts(Object.entries(batch).map(([task, paths]) => ({ task, paths })));
  return { ...result, conflicts: result.findings.map(({ path, tasks }) => `${path}: ${tasks?.join(" ")}`) };
};

describe("the file conflict scan", () => {
  it.each([
    ["nothing was written", {}, []],
    ["each task wrote its own", { "T-1": ["a.ts"], "T-2": ["b.ts"] }, []],
    ["one task names a file twice", { "T-1": ["a.ts", "a.ts"] }, []],
    ["two tasks wrote one file", { "T-2": ["a.ts"], "T-1": ["b.ts", "a.ts"] }, ["a.ts: T-2 T-1"]],
    ["three did", { A: ["x"], B: ["x"], C: ["x"] }, ["x: A B C"]],
    ["names are alike, no more", { A: ["src/a"], B: ["src/a.ts", "src/ab"] }, []],
    ["a file of one is a folder of the other", { A: ["src/a"], B: ["src/a/b.ts"] }, ["src/a/b.ts: A B"]],
    ["a task turned its own file into a folder", { A: ["src/a", "src/a/b.ts"] }, []],
    ["case differs", { A: ["README"], B: ["readme"] }, []],
  ])("%s", (_, batch, conflicts) => {
    expect(found(batch as Record<string, string[]>).conflicts).toEqual(conflicts);
  });

  it("routes the conflicting tasks to run one after the other", () => {
    const result = found({ A: ["x"], B: ["x"] });
    expect(result).toMatchObject({ check: "file_conflict", result: "fail", route: "serial" });
    expect(result.findings[0]?.message).toBe("was modified by A and B");
    expect(found({ A: ["x"] })).toMatchObject({ result: "pass", route: "proceed" });
  });

  it("names a file exactly when two tasks have it", () => {
    const paths = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("T-1", "T-2", "T-3", "T-4"), paths), (batch) => {
        const all = Object.values(batch).flat();
        const twice = [...new Set(all.filter((path, at) => all.indexOf(path) !== at))];
        expect(
          found(batch)
            .findings.map(({ path }) => path)
            .toSorted(),
        ).toEqual(twice.toSorted());
      }),
    );
  });
});
