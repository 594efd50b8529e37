import { describe, expect, it } from "vitest";
import { findWeakened } from "./weakened-checks.ts";

// Put together here, so that nobody takes this file for one with skipped tests.
const skipped = ["it", "skip"].join(".");
const long = Array.from({ length: 20 }, (_, index) => `it("${index}", () => {});`).join("\n");
const scripts = (test: string) => JSON.stringify({ scripts: { test, lint: "x" } });

describe("what weakens the checks", () => {
  it.each<[string, string, string | undefined, string | undefined, string | undefined]>([
    ["a deleted test", "test/a.test.ts", long, undefined, "a test file was deleted"],
    ["a deleted Python test", "pkg/test_a.py", "def test(): pass", undefined, "a test file was deleted"],
    [
      "an emptied test",
      "src/a.spec.js",
      long,
      'it("1", () => {});',
      "a test file lost more than half of its lines",
    ],
    [
      "a skipped test",
      "test/a.test.ts",
      long,
      long.replace("it(", `${skipped}(`),
      "1 test is skipped or singled out",
    ],
    [
      "a test singled out",
      "test/a.test.ts",
      long,
      long.replace("it(", ["it", "only("].join(".")),
      "1 test is skipped or singled out",
    ],
    [
      "a skipped Python test",
      "pkg/test_a.py",
      "def t(): pass",
      "@pytest.mark.skip\ndef t(): pass",
      "1 test is skipped or singled out",
    ],
    ["a redefined script", "package.json", scripts("vitest"), scripts("true"), "script `test` was redefined"],
    ["a removed script", "package.json", scripts("vitest"), "{}", "script `test` was removed"],
    ["a changed runner", "vitest.config.ts", "a", "b", "the configuration of a test runner was changed"],
    [
      "changed automation",
      ".github/workflows/ci.yml",
      "a",
      "b",
      "the automation of the repository was changed",
    ],
    [
      "a changed package manager",
      ".npmrc",
      undefined,
      "script-shell=/bin/true",
      "the configuration of a package manager was changed",
    ],
    ["an added script", "package.json", "{}", scripts("vitest"), undefined],
    ["an ordinary change", "src/a.ts", "a", "b", undefined],
    ["a longer test", "test/a.test.ts", long, `${long}\n${long}`, undefined],
    ["a deleted source", "src/a.ts", "a", undefined, undefined],
    ["a package.json that does not parse", "package.json", "{", "}", undefined],
    [
      "a skip that was there before",
      "test/a.test.ts",
      `${long}\n${skipped}("x")`,
      `${skipped}("x")\n${long}`,
      undefined,
    ],
  ])("is found: %s", (_name, path, before, after, what) => {
    expect(findWeakened([{ path, before, after }]).map((found) => found.what)[0]).toBe(what);
  });
});
