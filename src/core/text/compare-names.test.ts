import { expect, it } from "vitest";
import { compareNames } from "./compare-names.ts";

it("compares the numbers in names by their values, and the rest as words", () => {
  const names = ["T-10", "b", "T-2", "a", "T-1"];
  expect(names.toSorted(compareNames)).toEqual(["a", "b", "T-1", "T-2", "T-10"]);
});
