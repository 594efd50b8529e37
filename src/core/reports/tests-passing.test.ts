import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMsSince } from "../../../test/support/cpu-time.ts";
import { allTestsPass } from "./tests-passing.ts";

describe("an agent's statement about its tests", () => {
  it.each<[unknown, unknown, boolean]>([
    [undefined, undefined, true],
    [true, 0, true],
    [false, 0, false],
    [3, 3, true],
    [120, 3, true],
    [2, 3, false],
    [0, 0, true],
    [0, [], true],
    [0, undefined, false],
    [4, undefined, true],
    [-1, undefined, false],
    [Number.NaN, 0, false],
    [["a", "b"], ["a", "b"], true],
    [["a"], ["a", "b"], false],
    [[], [], true],
    [["a"], 2, false],
    ["3", "3", true],
    ["2", 3, false],
    [{ all: true }, 0, false],
  ])("%j with %j added means that all pass: %s", (passing, added, all) =>
    expect(allTestsPass(passing, added)).toBe(all),
  );

  it.each([
    "all",
    "All passing",
    "yes",
    "true",
    "ok",
    "passed",
    "green",
    "12/12",
    "12 of 12",
    "all 12 tests",
    "100%",
    "100.0 %",
    "12 passed, 0 failed",
    "no failures",
    "without errors",
    "passed: 12, failed: 0",
    "all pass, no regressions",
    "n/a",
    "",
  ])("`%s` means that all pass", (words) => expect(allTestsPass(words, 0)).toBe(true));

  it.each([
    "false",
    "no",
    "none",
    "NOT all",
    "some",
    "most of them",
    "partially",
    "11/12",
    "11 of 12",
    "3 out of 4",
    "99%",
    "99.9%",
    "1 failed",
    "12 passed, 10 failed",
    "failing",
    "all but one",
    "broken",
    "they don't",
    "failed: 01",
    "almost",
    "unknown",
  ])("`%s` means that not all pass", (words) => expect(allTestsPass(words, 0)).toBe(false));

  it("is understood for any value, and `true` is the only plain value that passes", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        (passing, added) => typeof allTestsPass(passing, added) === "boolean",
      ),
    );
  });

  it.each(["1", " ", "1/", "0 ", "no ", "fail", "failed:", "%"])(
    "of 64 KiB of %j is read quickly",
    (unit) => {
      const start = process.cpuUsage();
      allTestsPass(`${unit.repeat(64 * 1024)}!`, 0);
      expect(cpuMsSince(start)).toBeLessThan(1000);
    },
  );
});
