import { describe, expect, it } from "vitest";
import { readConventions } from "./conventions/read-conventions.ts";
import { checkConventions } from "./conventions.ts";
import { mergeOf } from "./source-tree.test-support.ts";

const rulesOf = (...lines: string[]) => {
  const result = readConventions(lines.join("\n"));
  if ("faults" in result) throw new Error(JSON.stringify(result.faults));
  return result.rules;
};
const noLog = "no-log: rule: `console\\.log` in `src/**`: use the logger";
const licence = "licence: require: `^// MIT` in `src/**/*.ts`: name the licence";
const kebab = "kebab: name: `src/**/*.ts` must match `^[a-z-]+\\.ts$`";
const base = { "src/old.ts": "console.log(0)", "src/Odd.ts": "" };
const findingsOf = (lines: string[], edits: Record<string, string | null>) =>
  checkConventions(rulesOf(...lines), mergeOf(base, edits)).findings.map(
    ({ path, line, rule, message }) => `${path}:${line ?? ""} ${rule}: ${message}`,
  );

describe("a convention", () => {
  it.each([
    ["kept", [noLog], { "src/a.ts": "log()" }, []],
    [
      "broken",
      [noLog],
      { "src/a.ts": "a\nconsole.log(1)\r\nconsole.log(2)" },
      ["src/a.ts:2 no-log: use the logger", "src/a.ts:3 no-log: use the logger"],
    ],
    ["outside its files", [noLog], { "test/a.ts": "console.log(1)" }, []],
    ["broken in a file that did not change", [noLog], { "src/a.ts": "" }, []],
    ["broken in a deleted file", [noLog], { "src/old.ts": null }, []],
    [
      "broken before, in a file that changed",
      [noLog],
      { "src/old.ts": "console.log(0)\n1" },
      ["src/old.ts:1 no-log: use the logger"],
    ],
    ["met", [licence], { "src/a.ts": "// MIT\n1" }, []],
    ["not met", [licence], { "src/a.ts": "1 // MIT" }, ["src/a.ts: licence: name the licence"]],
    ["not asked of others", [licence], { "src/a.js": "1" }, []],
    ["of names, kept", [kebab], { "src/price-list.ts": "" }, []],
    [
      "of names, broken",
      [kebab],
      { "src/x/PriceList.ts": "" },
      ["src/x/PriceList.ts: kebab: the name must match `^[a-z-]+\\.ts$`"],
    ],
    ["of names, in a file that had its name before", [kebab], { "src/Odd.ts": "1" }, []],
    [
      "of several, in the order of the files",
      [noLog, licence, kebab],
      { "src/b.ts": "console.log()", "src/A.ts": "// MIT" },
      [
        "src/A.ts: kebab: the name must match `^[a-z-]+\\.ts$`",
        "src/b.ts: licence: name the licence",
        "src/b.ts:1 no-log: use the logger",
      ],
    ],
  ])("%s", (_, lines, edits, expected) => {
    expect(findingsOf(lines as string[], edits as Record<string, string | null>)).toEqual(expected);
  });

  it("is routed to the task that changed the file, with the rule", () => {
    const merge = mergeOf({}, { "src/a.ts": "console.log(1)" }, { "src/a.ts": "T-1" });
    expect(checkConventions(rulesOf(noLog), merge)).toMatchObject({
      check: "conventions",
      result: "fail",
      route: "origin",
      findings: [{ rule: "no-log", line: 1, tasks: ["T-1"] }],
    });
  });
});

describe("the conventions check", () => {
  it("is not configured without rules", () => {
    expect(checkConventions([], mergeOf({}, { "src/a.ts": "1" }))).toMatchObject({
      result: "not_configured",
      route: "proceed",
      findings: [],
    });
  });

  it("reads long lines up to a limit, and reports that", () => {
    const text = `${"x".repeat(10_000)}console.log(1)`;
    const { result, note } = checkConventions(rulesOf(noLog), mergeOf({}, { "src/a.ts": text }));
    expect([result, note]).toEqual([
      "pass",
      "1 rules were checked on 1 of 1 changed files; lines were read up to character 10000: 1 file (src/a.ts)",
    ]);
    expect(findingsOf([noLog], { "src/a.ts": text.slice(20) })).toHaveLength(1);
  });

  it("fails a file on which a rule takes too long, instead of waiting", () => {
    const slow = "slow: rule: `.*.*.*.*=` in `src/**`: no";
    const { result, findings } = checkConventions(
      rulesOf(slow),
      mergeOf({}, { "src/a.ts": "x".repeat(9000) }),
    );
    expect(result).toBe("fail");
    expect(findings[0]?.message).toBe("rule `slow` takes too long on this file: write a simpler regex");
  });

  it("names the files that it could not read", () => {
    const merge = mergeOf({}, { "src/a.png": "" });
    const tree = { ...merge.result, text: () => undefined };
    const { result, note } = checkConventions(rulesOf(noLog), { ...merge, result: tree });
    expect([result, note]).toEqual([
      "skipped",
      "1 rules were checked on 0 of 1 changed files; not checked: 1 file (src/a.png) (binary or over 1 MiB)",
    ]);
  });

  it.each([
    ["skipped", { "test/a.ts": "1" }, [noLog]],
    ["skipped", { "src/Odd.ts": "1" }, [kebab]],
    ["skipped", { "src/old.ts": null }, [noLog]],
    ["pass", { "test/a.ts": "1", "src/a.ts": "1" }, [noLog]],
  ])("is %s for %j", (expected, edits, lines) => {
    const { result, note } = checkConventions(rulesOf(...lines), mergeOf(base, edits));
    expect(result).toBe(expected);
    if ("test/a.ts" in edits)
      expect(note).toContain("not checked: 1 file (test/a.ts) (no rule is about them)");
  });
});
