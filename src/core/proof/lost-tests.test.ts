import { describe, expect, it } from "vitest";
import type { Inventory, TestOutcome } from "./inventory.ts";
import { fileOf, lostTests, newTests } from "./lost-tests.ts";

const inventory = (tests: Readonly<Record<string, TestOutcome>>): Inventory => ({
  ...{ runners: ["mocha"], tests, cut: null },
});

describe("tests of the base that are lost", () => {
  it("are tests that passed and no longer pass", () => {
    const before = inventory({ a: "pass", b: "pass", c: "pass", d: "pass", e: "skip", f: "fail" });
    const after = inventory({ a: "pass", b: "fail", c: "skip", f: "fail", g: "pass" });
    expect(lostTests(before, after)).toEqual([
      { test: "b", now: "fails" },
      { test: "c", now: "is skipped" },
      { test: "d", now: "is missing" },
    ]);
    expect(newTests(before, after)).toEqual(["g"]);
  });

  it("are not files that counted as one test and now have tests of their own", () => {
    const before = inventory({ "test/a.js": "pass", "test/b.js": "pass" });
    const after = inventory({ "test/a.js > one": "pass", "test/b.js > one": "skip" });
    expect(lostTests(before, after)).toEqual([{ test: "test/b.js", now: "is missing" }]);
  });

  it("are all of them if no runner reported", () => {
    expect(lostTests(inventory({ a: "pass" }), null)).toEqual([{ test: "a", now: "is missing" }]);
  });

  it("are not tests that moved to another line", () => {
    const at = (line: number) => inventory({ [`src/lib.rs - add (line ${line})`]: "pass" });
    expect(lostTests(at(3), at(9))).toEqual([]);
  });

  it.each([
    ["test/a.test.ts > suite > name", "test/a.test.ts"],
    ["tests/test_a.py::test_x[1]", "tests/test_a.py"],
    ["src/lib.rs - add (line 3)", "src/lib.rs"],
    ["TestAdd", "TestAdd"],
  ])("have a file, taken from %s", (test, file) => {
    expect(fileOf(test)).toBe(file);
  });
});
