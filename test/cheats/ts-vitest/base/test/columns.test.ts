import { describe, expect, it } from "vitest";
import { isNumeric, widths } from "../src/columns.ts";

describe("columns", () => {
  it("are as wide as their widest cell", () => {
    expect(widths([["a", "bbb"], ["cc"]])).toEqual([2, 3]);
  });

  it("of nothing are none", () => {
    expect(widths([])).toEqual([]);
  });
});

describe("a number", () => {
  it.each(["1", "-2", "3.50"])("is %s", (text) => {
    expect(isNumeric(text)).toBe(true);
  });

  it.each(["", "1.", "x1", "--1"])("is not %j", (text) => {
    expect(isNumeric(text)).toBe(false);
  });
});
