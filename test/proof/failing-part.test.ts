import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failingPart } from "../../src/core/proof/failing-part/failing-part.ts";

/** The recorded output of the runner. */
const printed = (name: string) =>
  readFileSync(new URL(`../runner-outputs/${name}.txt`, import.meta.url), "utf8");
const passing = Array.from({ length: 3000 }, (_, at) => `✔ handles error ${at} (0.1ms)`).join("\n");
const after = Array.from({ length: 60 }, (_, at) => `npm notice ${at}`).join("\n");
const linesOf = (part: string) => part.split("\n");

describe("the part of an output that is shown", () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      "node-test",
      "test at a.test.mjs:6:3",
      ["  -1 !== 3", "  TypeError: no such thing"],
      ["node:internal", "later", "ℹ"],
    ],
    [
      "node-test-inline",
      "test at a.test.mjs:6:3",
      ["  -1 !== 3", "  +     2"],
      ["node:internal", "later", "ℹ"],
    ],
    [
      "node-test-tap",
      "    not ok 1 - adds numbers",
      ["        -1 !== 3", "        +     2"],
      ["subtestsFailed", "ok 1 - passes"],
    ],
    [
      "vitest",
      " FAIL  a.test.js > add > adds numbers",
      [
        "AssertionError: expected -1 to be 3 // Object.is equality",
        "AssertionError: expected { a: 1 } to deeply equal { a: 2 }",
      ],
      ["Test Files"],
    ],
    [
      "vitest-suite",
      " FAIL  b.test.js [ b.test.js ]",
      ["Error: Cannot find module './nosuch.js' imported from /project/b.test.js"],
      [],
    ],
    [
      "jest",
      "  ● add › adds numbers",
      ["    Expected: 3", "    Received: -1", "    TypeError: no such thing"],
      ["Test Suites", "\u001b"],
    ],
    ["mocha", "  1) add", ["-1 !== 3", "     TypeError: no such thing"], ["processImmediate", "passing"]],
    [
      "pytest",
      "___________________________________ test_add ___________________________________",
      [">       assert a == b", 'E       TypeError: can only concatenate str (not "int") to str'],
      ["captured line\n", "short test summary"],
    ],
    [
      "pytest-color",
      "___________________________________ test_add ___________________________________",
      [">       assert a == b"],
      ["\u001b"],
    ],
    [
      "pytest-collect",
      "__________________________ ERROR collecting test_b.py __________________________",
      ["E   ModuleNotFoundError: No module named 'nothing_here'"],
      [],
    ],
    ["unittest", "ERROR: test_err (test_a.T.test_err)", ["AssertionError: 3 != 4"], ["Ran 2 tests"]],
    [
      "traceback",
      "Traceback (most recent call last):",
      ["TypeError: unsupported operand type(s) for +: 'int' and 'str'"],
      [],
    ],
    [
      "go",
      "--- FAIL: TestAdd (0.00s)",
      ["    calc_test.go:6: Add(1, 2) = -1; want 3", "        calc_test.go:10: inner failed"],
      [],
    ],
    [
      "go-v",
      "--- FAIL: TestAdd (0.00s)",
      ["    calc_test.go:6: Add(1, 2) = -1; want 3", "    calc_test.go:10: inner failed"],
      ["TestOK"],
    ],
    [
      "go-panic",
      "--- FAIL: TestP (0.00s)",
      ["panic: assignment to entry in nil map [recovered]"],
      ["src/testing"],
    ],
    ["go-build", "bad/b_test.go:3:28: undefined: nosuch", [], []],
    [
      "cargo",
      "---- tests::adds stdout ----",
      ["assertion `left == right` failed: adds up", "  left: -1", "boom"],
      ["/rustc/", "tests::ok"],
    ],
    [
      "cargo-build",
      "error[E0277]: cannot subtract `&str` from `i32`",
      [" --> src/lib.rs:1:39"],
      ["could not compile"],
    ],
    [
      "tsc",
      "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      ["a.ts(3,21): error TS2322: Type 'string' is not assignable to type 'number'."],
      [],
    ],
    [
      "tsc-pretty",
      "a.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'.",
      ['1 const a: number = "x";'],
      ["Found 2", "\u001b"],
    ],
    [
      "eslint",
      "/project/a.js",
      ["  2:7   error  Expected '===' and instead saw '=='  eqeqeq"],
      ["warning", "b.js"],
    ],
  ])("is the failures alone, for %s", (name, first, shown, hidden) => {
    const part = failingPart(`${passing}\n${printed(name)}\n${after}`);
    const lines = linesOf(part);
    expect(lines[0]).toBe(first);
    for (const line of shown) expect(lines).toContain(line);
    for (const text of [...hidden, "npm notice", "handles error"]) expect(part).not.toContain(text);
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  it("is the first error with the lines around it, and the end, for an unknown runner", () => {
    const part = linesOf(failingPart(`${passing}\n${printed("node-throw")}\n${after}`));
    for (const line of ["starting", "/project/boom.js:1", "Error: boom", "npm notice 59"])
      expect(part).toContain(line);
    expect(part.length).toBeLessThanOrEqual(40);
  });

  it("is the end, for an unknown runner without an error", () => {
    const fine = [...Array(90).keys()].map((at) => `step ${at}, 0 errors`);
    expect(linesOf(failingPart(fine.join("\n")))).toEqual(fine.slice(-40));
  });

  it("is everything, if the output is short", () => {
    expect(failingPart("one\ntwo\n")).toBe("one\ntwo");
    expect(failingPart("")).toBe("");
  });
});

describe("many failures", () => {
  const failure = (name: string, lines: number) =>
    `not ok 1 - ${name}\n  ---\n  error: |-\n${"    wrong\n".repeat(lines)}  ...\n`;

  it("are counted if not all of them fit", () => {
    const many = [...Array(50).keys()].map((at) => failure(`t${at}`, 3)).join("");
    const part = linesOf(failingPart(many));
    expect(part[0]).toBe("not ok 1 - t0");
    expect(part.at(-1)).toMatch(/^… and \d+ more failures$/);
    expect(part.length).toBeLessThanOrEqual(40);
  });

  it("do not displace each other", () => {
    const part = failingPart(failure("long", 500) + failure("short", 2));
    expect(part).toContain("not ok 1 - short");
    expect(linesOf(part).length).toBeLessThanOrEqual(40);
  });

  it("that a runner prints twice are shown once", () => {
    const twice = printed("jest").replace(
      / {2}● [\s\S]*(?=Test Suites:)/,
      (failures) => `${failures}Summary of all failing tests\n${failures}`,
    );
    expect(twice.split("● add › throws")).toHaveLength(3);
    expect(failingPart(twice).split("● add › throws")).toHaveLength(2);
  });

  it.each([
    [
      "a traceback",
      `${"  File x\n".repeat(100)}`,
      "Traceback (most recent call last):\n",
      "ValueError: at last\n",
    ],
    [
      "a test of pytest",
      `${"    code\n".repeat(100)}`,
      "=== FAILURES ===\n___ test_long ___\n",
      "E   assert 1 == 2\n",
    ],
  ])("include the end of %s that is long", (_name, middle, start, end) => {
    expect(linesOf(failingPart(`${start}${middle}${end}`))).toContain(end.trimEnd());
  });
});

describe("output that is built to be slow to parse", () => {
  const size = 60_000;
  const timeFor = (text: string, length: number) => {
    const filled = text.repeat(Math.ceil(length / text.length)).slice(0, length);
    const start = performance.now();
    failingPart(filled);
    return performance.now() - start;
  };
  it.each([
    "not ok 1 - x\n",
    "--- FAIL: TestA (0.00s)\n=== RUN   TestA\n",
    " FAIL  a\n",
    "a",
    "\u001b[",
    "\u001b]",
    "/a\n  1:1  error  x\n",
    "Traceback (most recent call last):\n",
  ])("%j is parsed in linear time", (text) => {
    timeFor(text, size);
    const small = Math.min(timeFor(text, size), timeFor(text, size));
    // Quadratic time would be 64 times as much. The constant allows for pauses of a busy machine.
    expect(timeFor(text, size * 8)).toBeLessThan(small * 24 + 300);
  });
});
