import { describe, expect, it } from "vitest";
import { provingGround } from "./support/proving-ground.ts";

const suite = `
import test, { describe, it } from "node:test";
describe("suite", () => {
  it("one", () => {});
  it.skip("skipped", () => {});
  it.todo("to do");
  describe("inner", () => it("deep", () => {}));
});
test("parent", (t) => t.test("child", () => {}));
test("same", () => {});
test("same", () => {});
test("constructor", () => {});
test("__proto__", () => {});
`;
const listed = {
  "suite > one": "pass",
  "suite > skipped": "skip",
  "suite > to do": "skip",
  "suite > inner > deep": "pass",
  parent: "pass",
  "parent > child": "pass",
  same: "pass",
  "same #2": "pass",
  constructor: "pass",
  ["__proto__"]: "pass",
};

/** An ordinary object, because the inventory's has no prototype. */
const of = (file: string, tests: Readonly<Record<string, string>> = listed) =>
  Object.fromEntries(Object.entries(tests).map(([name, outcome]) => [`${file} > ${name}`, outcome]));

describe("node:test", () => {
  it.each([
    "node --test",
    "node test/a.test.mjs",
    "node --test --test-reporter=dot test/a.test.mjs",
    "npm test",
  ])("is listed by `%s`", async (command) => {
    const scripts = { test: "true && node --test" };
    using ground = provingGround({ "test/a.test.mjs": suite, "package.json": JSON.stringify({ scripts }) });
    const { exit, tail, inventory } = await ground.check(command);
    expect(exit, tail).toBe(0);
    expect(inventory).toEqual({ runners: ["node:test"], tests: of("test/a.test.mjs"), cut: null });
  });
});
