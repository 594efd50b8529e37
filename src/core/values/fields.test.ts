import { describe, expect, it } from "vitest";
import { field, isLine, isPositiveInteger, isText } from "./fields.ts";

describe("reading a field", () => {
  it.each<[string, unknown, string, unknown]>([
    ["an own field", { a: 1 }, "a", 1],
    ["a false field", { a: false }, "a", false],
    ["a null field", { a: null }, "a", undefined],
    ["an absent field", {}, "a", undefined],
    ["a property that every object inherits", {}, "constructor", undefined],
    ["a property of a prototype", Object.create({ a: 1 }), "a", undefined],
    ["the prototype itself", {}, "__proto__", undefined],
    ["a list's length", [1, 2], "length", undefined],
    ["a text's length", "ab", "length", undefined],
    ["a field of null", null, "a", undefined],
  ])("%s: %j has `%s`: %j", (_, of, name, value) => expect(field(of, name)).toBe(value));
});

describe("kinds of values", () => {
  it.each<[unknown, boolean, boolean]>([
    ["a", true, true],
    [" a ", true, true],
    ["", false, false],
    [" \t\n", false, false],
    ["a\nb", true, false],
    ["a\u007f", true, false],
    ["a\u0000", true, false],
    ["日本", true, true],
    [1, false, false],
    [null, false, false],
    [["a"], false, false],
  ])("%j is a text: %s, a line: %s", (value, text, line) => {
    expect(isText(value)).toBe(text);
    expect(isLine(value)).toBe(line);
  });

  it.each<[unknown, boolean]>([
    [1, true],
    [2 ** 53 - 1, true],
    [2 ** 53, false],
    [0, false],
    [-1, false],
    [1.5, false],
    ["1", false],
    [Infinity, false],
    [Number.NaN, false],
    [true, false],
  ])("%j is a positive whole number: %s", (value, expected) => {
    expect(isPositiveInteger(value)).toBe(expected);
  });
});
