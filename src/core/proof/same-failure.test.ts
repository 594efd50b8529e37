import { describe, expect, it } from "vitest";
import { isSameFailure } from "./same-failure.ts";

const failed = (tail: string, exit: number | null = 1) => ({ exit, seconds: 1, digest: "", tail });

const node = (name: string, { tests = 2, fail = 1, ms = "12.5" } = {}) =>
  `✔ adds (0.4ms)\n✖ ${name} (${ms}ms)\nℹ tests ${tests}\nℹ pass ${tests - fail}\nℹ fail ${fail}\nℹ duration_ms ${ms}\n`;

describe("a check that fails before and after", () => {
  it.each<[string, string, string]>([
    ["took another time", node("rounds"), node("rounds", { ms: "931.25" })],
    ["has more tests that pass", node("rounds"), `✔ new (1ms)\n${node("rounds", { tests: 3 })}`],
    ["failed in another order", "FAIL a\nFAIL b\n", "FAIL b\nFAIL a\n"],
    ["printed nothing", "", ""],
  ])("fails the same way if it %s", (_title, before, after) => {
    expect(isSameFailure(failed(before), failed(after))).toBe(true);
  });

  it.each<[string, string, string]>([
    ["another test fails", node("rounds"), node("adds")],
    ["one more fails", node("rounds"), node("rounds", { tests: 3, fail: 2 })],
    ["only the number of failures differs", "1 failed, 9 passed\n", "2 failed, 8 passed\n"],
    ["the value is another", "expected 3, got 4\n", "expected 3, got 5\n"],
    ["it prints more", "FAIL a\n", "FAIL a\nTypeError: x is undefined\n"],
  ])("fails another way if %s", (_title, before, after) => {
    expect(isSameFailure(failed(before), failed(after))).toBe(false);
  });

  it("fails another way if its exit code differs, or if it passed before", () => {
    expect(isSameFailure(failed("x", 1), failed("x", 2))).toBe(false);
    expect(isSameFailure(failed("x", 0), failed("x", 0))).toBe(false);
    expect(isSameFailure(failed("x", null), failed("x", 1))).toBe(false);
  });
});
