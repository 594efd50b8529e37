import { describe, expect, it } from "vitest";
import { readJson, readJsonBytes } from "./read-json.ts";

describe("a text that may be JSON", () => {
  it("is parsed if valid, otherwise undefined", () => {
    expect(readJson('{"a":[1]}')).toEqual({ a: [1] });
    for (const text of ["", "{", "warning: {}", '{"a":1} and more']) expect(readJson(text)).toBeUndefined();
  });

  it("is undefined if its bytes are not UTF-8", () => {
    expect(readJsonBytes(Buffer.from('{"a":"é"}'))).toEqual({ a: "é" });
    expect(readJsonBytes(Buffer.from('{"a":"\xe9"}', "latin1"))).toBeUndefined();
    expect(readJsonBytes(Buffer.from("{"))).toBeUndefined();
  });
});
