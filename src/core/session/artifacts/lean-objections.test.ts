import { describe, expect, it } from "vitest";
import { type LeanTask, leanObjections } from "./lean-objections.ts";

const small: LeanTask = {
  id: "T-1",
  lock_scope: ["src/a.ts", "test/a.test.ts", "Makefile"],
  files_expected: [],
  risk_flags: ["none"],
};

describe("lean mode", () => {
  it.each<[string, Partial<LeanTask>]>([
    ["three files", {}],
    ["a risk of being slow", { risk_flags: ["perf"] }],
    ["files without an ending", { lock_scope: [".gitignore", "LICENSE", "docs/v1.2.md"] }],
  ])("accepts one task with %s", (_, changed) => {
    expect(leanObjections([{ ...small, ...changed }])).toEqual([]);
  });

  it.each<[string, Partial<LeanTask>, string]>([
    ["the whole repository", { lock_scope: ["."] }, "T-1 may write `.`, which is more than one file"],
    ["a folder", { lock_scope: ["src/price"] }, "T-1 may write `src/price`, which is more than one file"],
    ["a folder with a slash", { lock_scope: ["a.d/"] }, "T-1 may write `a.d/`, which is more than one file"],
    ["a glob", { lock_scope: ["src/*.ts"] }, "T-1 may write `src/*.ts`, which is more than one file"],
    ["alternatives", { lock_scope: ["{a,b}.ts"] }, "T-1 may write `{a,b}.ts`, which is more than one file"],
    [
      "four files",
      { files_expected: ["a.ts", "b.ts", "c.ts", "d.ts"] },
      "T-1 has 4 files; lean mode allows at most 3",
    ],
    ["security", { risk_flags: ["perf", "security"] }, "T-1 has the risk `security`"],
    ["a break", { risk_flags: ["breaking-change"] }, "T-1 has the risk `breaking-change`"],
  ])("refuses %s", (_, changed, objection) => {
    expect(leanObjections([{ ...small, ...changed }])).toEqual([objection]);
  });

  it("refuses two tasks", () => {
    expect(leanObjections([small, { ...small, id: "T-2" }])).toEqual([
      "tasks.yaml has 2 tasks instead of one",
    ]);
  });
});
