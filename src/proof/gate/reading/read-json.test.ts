import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValue, readJsonTree } from "../../../core/text/json-tree.ts";
import { readJson } from "./read-json.ts";

const resultOf = (text: string, comments = false) => {
  const result = readJson(text, { comments });
  return "fault" in result ? `${result.fault.line}: ${result.fault.message}` : result.document;
};

describe("JSON", () => {
  it.each([
    ["{}", {}],
    [' {"a": [1, -2.5e3, "x\\u00e9\\n", null, true]} ', { a: [1, -2500, "xé\n", null, true] }],
    ["\uFEFF[1]", [1]],
    ['"\u007f\u0080 "', "\u007f\u0080 "],
    ["", "1: expected a value, not the end of the file"],
    ['{"a": 1,\n "b" 2}', "2: expected `:`"],
    ['{"a": 1,\n "b": }', "2: expected a value"],
    ['{\n"a": 1\n"b": 2}', "3: expected `,` or `}`"],
    ["[1,\n2,\n]", "2: a comma before `]`"],
    ["[1,\na]", "2: expected a value"],
    ["{a: 1}", "1: expected a key in double quotes"],
    ["{'a': 1}", "1: expected a key in double quotes"],
    ["[1] [2]", "1: more text after the value"],
    ['["a\nb"]', "1: a string without end"],
    ['["\\x"]', "1: an escape that JSON does not know"],
    ["[01]", "1: expected `,` or `]`"],
    ["// no\n1", "1: expected a value"],
    [`${"[".repeat(2000)}`, "1: nested deeper than 1000"],
  ])("%j", (text, expected) => {
    expect(resultOf(text)).toEqual(expected);
  });

  it("fails exactly if JSON.parse does", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "1",
      "-",
      "0",
      ".5",
      "e1",
      "true",
      " ",
      "\n",
      "\\u0041",
      "\\",
      "/",
      "é",
    );
    const near = fc
      .tuple(fc.json(), fc.nat(), piece)
      .map(
        ([text, at, put]) =>
          text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1),
      );
    fc.assert(
      fc.property(
        fc.oneof(
          near,
          fc.array(piece).map((pieces) => pieces.join("")),
        ),
        (text) => {
          let document: unknown;
          let parses = true;
          try {
            document = JSON.parse(text);
          } catch {
            parses = false;
          }
          expect("document" in readJson(text)).toBe(parses);
          if (parses) expect(jsonValue(readJsonTree(text, { comments: false }))).toEqual(document);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe("JSON with comments", () => {
  it.each([
    ['{ // one\n "a": 1, /* two\n */ }', { a: 1 }],
    ['{"a": [1, 2, /* last */ ], "url": "http://x/*y*/" }', { a: [1, 2], url: "http://x/*y*/" }],
    ["1 // end", 1],
    ["{,}", "1: expected a key in double quotes"],
    ["[1,,]", "1: expected a value"],
    ["[1 / 2]", "1: a `/` that begins no comment"],
    ["[1 /* ]", "1: a comment without end"],
  ])("%j", (text, expected) => {
    expect(resultOf(text, true)).toEqual(expected);
  });
});
