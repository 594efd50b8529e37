import { expect, it } from "vitest";
import { ruleCodes } from "../../core/rules/catalog.ts";
import { exitOf } from "./exit-of.ts";

it("the exit code is 1 for internal failures and 2 for every other code", () => {
  expect(ruleCodes.filter((code) => exitOf(code) === 1)).toEqual(["E-STORE", "E-GIT", "E-INTERNAL"]);
});
