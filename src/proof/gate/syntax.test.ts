import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeOf } from "./source-tree.test-support.ts";
import { checkSyntax } from "./syntax.ts";

const findingsOf = async (edits: Record<string, string | null>, base: Record<string, string> = {}) => {
  const { findings } = await checkSyntax(mergeOf(base, edits));
  return findings.map(({ path, line, message }) => `${path}:${line}: ${message}`);
};

describe("the syntax check", () => {
  it.each([
    ["a.js", "foo()", []],
    ["a.js", "foo(\n", ["a.js:2: does not parse: unexpected token, column 1"]],
    ["a.jsx", "<a/>", []],
    ["a.cjs", "return", []],
    ["a.mjs", "return", ["a.mjs:1: does not parse: 'return' outside of function, column 1"]],
    ["a.ts", "\nlet a: = 1", ["a.ts:2: does not parse: unexpected token, column 8"]],
    ["a.tsx", "<a b={1}/>", []],
    ["a.mts", "let a: number", []],
    ["a.cts", "let a: ", ["a.cts:1: does not parse: unexpected token, column 8"]],
    ["a.json", '{"a": 1}', []],
    ["a.json", '{"a": 1, // no\n}', ["a.json:1: does not parse: expected a key in double quotes"]],
    ["tsconfig.json", '{"a": 1, // yes\n}', []],
    ["tsconfig.build.json", "// yes\n{}", []],
    ["packages/a/jsconfig.json", "{/**/}", []],
    [".vscode/settings.json", "{/**/}", []],
    [
      "a.jsonc",
      "{/**/",
      ["a.jsonc:1: does not parse: expected a key in double quotes, not the end of the file"],
    ],
    ["package.json", "{/**/}", ["package.json:1: does not parse: expected a key in double quotes"]],
    ["a.yaml", "a: 1\n---\nb: 2", []],
    ["a.yml", "a: 1\na: 2", ["a.yml:2: does not parse: key `a` is duplicated"]],
    [
      "chart/templates/a.yaml",
      "a: {{ .Values.a }}\n{{ if }}",
      ["chart/templates/a.yaml:2: does not parse: implicit map keys need to be followed by map values"],
    ],
    ["a.py", "def (", []],
  ])("%s: %j", async (path, text, expected) => {
    expect(await findingsOf({ [path]: text })).toEqual(expected);
  });

  it("ignores the templates of a Helm chart, and reports that", async () => {
    const merge = mergeOf({ "chart/Chart.yaml": "name: a" }, { "chart/templates/a.yaml": "{{ if }}" });
    const { result, note } = await checkSyntax(merge);
    expect(result).toBe("skipped");
    expect(note).toContain("not checked: .yaml (1) (no parser; set gate.syntax)");
  });

  it("reads changed files only, and no deleted ones", async () => {
    expect(await findingsOf({ "b.ts": null }, { "a.ts": "(", "b.ts": "(" })).toEqual([]);
    expect(await findingsOf({ "a.ts": "((" }, { "a.ts": "(" })).toHaveLength(1);
  });

  it("is routed to the task that changed the file", async () => {
    const merge = mergeOf({}, { "a.ts": "(", "b.ts": "1" }, { "a.ts": "T-1", "b.ts": "T-2" });
    expect(await checkSyntax(merge)).toMatchObject({
      check: "syntax",
      result: "fail",
      route: "origin",
      findings: [{ path: "a.ts", tasks: ["T-1"] }],
    });
  });

  it("reports which files it read and which not", async () => {
    const merge = mergeOf({}, { "a.ts": "1", "b.py": "x", "c.py": "x", Makefile: "x", "d.js": "x" });
    const tree = {
      ...merge.result,
      text: (path: string) => (path === "d.js" ? undefined : merge.result.text(path)),
    };
    const { result, note } = await checkSyntax({ ...merge, result: tree });
    expect(result).toBe("pass");
    expect(note).toBe(
      "1 file parsed; not checked: 1 file (d.js) (binary or over 1 MiB); " +
        "not checked: .py (2), Makefile (1) (no parser; set gate.syntax)",
    );
  });

  it.each<[string, Record<string, string | null>]>([
    ["skipped", { "b.py": "x" }],
    ["skipped", { "old.ts": null }],
    ["pass", { "b.py": "x", "a.json": "{}" }],
    ["fail", { "b.py": "x", "a.json": "{" }],
  ])("is %s for %j", async (expected, edits) => {
    const { result, note } = await checkSyntax(mergeOf({ "old.ts": "" }, edits));
    expect(result).toBe(expected);
    if ("b.py" in edits) expect(note).toContain("not checked: .py (1) (no parser");
  });

  it("answers for every text", async () => {
    const path = fc.constantFrom("a.ts", "a.tsx", "a.js", "a.json", "a.jsonc", "a.yaml");
    const piece = fc.constantFrom(
      "{",
      "}",
      "(",
      "<",
      ">",
      "=>",
      "a",
      ":",
      "`",
      "${",
      "\n",
      "- ",
      "@",
      "import ",
      "/",
      '"',
      "\u0000",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join("")),
    );
    await fc.assert(
      fc.asyncProperty(path, text, async (name, content) => {
        const { result, findings } = await checkSyntax(mergeOf({}, { [name]: content }));
        expect(result).toBe(findings.length === 0 ? "pass" : "fail");
        for (const { line = 0 } of findings) expect(line).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
