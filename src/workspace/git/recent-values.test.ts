import { describe, expect, it } from "vitest";
import { RecentValues } from "./recent-values.ts";

const ofLength = (sizeMax: number) => new RecentValues<string>(sizeMax, ({ length }) => length);

describe("recent values", () => {
  it("drop the least recently used one first", () => {
    const values = ofLength(6);
    for (const id of ["aa", "bb", "cc"]) values.keep(id, id);
    values.get("aa");
    values.keep("dd", "dd");
    expect(["aa", "bb", "cc", "dd"].map((id) => values.get(id))).toEqual(["aa", undefined, "cc", "dd"]);
  });

  it("count once if they are stored again", () => {
    const values = ofLength(6);
    values.keep("first", "aa");
    for (let time = 0; time < 5; time += 1) values.keep("again", "bbbb");
    expect(values.get("first")).toBe("aa");
  });

  it("exclude a value that is too large, and keep room for the rest", () => {
    const values = ofLength(6);
    values.keep("large", "seven..");
    expect(values.get("large")).toBeUndefined();
    values.keep("small", "six...");
    expect(values.get("small")).toBe("six...");
  });
});
