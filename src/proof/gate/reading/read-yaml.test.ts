import { describe, expect, it } from "vitest";
import { readYamlFile } from "./read-yaml.ts";

const resultOf = async (text: string) => {
  const result = await readYamlFile(text);
  if ("fault" in result) return `${result.fault.line}: ${result.fault.message}`;
  return result.documents.map((document) => document.toJS());
};

describe("YAML", () => {
  it.each([
    ["", [null]],
    ["a: 1\n", [{ a: 1 }]],
    ["a: 1\n---\nb: 2\n", [{ a: 1 }, { b: 2 }]],
    ['{"a": [1, 2]}', [{ a: [1, 2] }]],
    ["a: &x 1\nb: *x\n", [{ a: 1, b: 1 }]],
    ["Role: !GetAtt A.Arn\n", [{ Role: "A.Arn" }]],
    ["x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n", [{ x: { a: 1 }, y: { "<<": { a: 1 }, b: 2 } }]],
    ["a: &a {}\nb: &b {}\nc: { <<: *a, <<: *b }\n", [{ a: {}, b: {}, c: { "<<": {} } }]],
    ["a: 1\n b: 2\n", "1: nested mappings are not allowed in compact mappings"],
    ["a: [1, 2\n", "2: flow sequence in block collection must be sufficiently indented and end with a ]"],
    ["a: 1\nb:\n\t- x\n", "3: tabs are not allowed as indentation"],
    ["a: 1\nb: 2\na: 3\n", "3: key `a` is duplicated"],
    ["a: 1\n---\nb: *gone\n", "3: an alias comes before its anchor"],
    ['a: "x\n', '2: missing closing "quote'],
    [`a: ${"[".repeat(200)}`, "1: nested deeper than 128"],
  ])("%j", async (text, expected) => {
    expect(await resultOf(text)).toEqual(expected);
  });

  it("stops at a limit instead of taking minutes", async () => {
    expect(await resultOf(`[${"[],".repeat(300_000)}]`)).toBe("1: more than 500000 tokens");
  });
});
