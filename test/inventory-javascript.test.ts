import { describe, expect, it } from "vitest";
import { provingGround } from "./support/proving-ground.ts";

const here = new URL("..", import.meta.url).pathname;
const bins = {
  vitest: `${here}node_modules/vitest/vitest.mjs`,
  jest: `${here}test/runners/node_modules/jest/bin/jest.js`,
  mocha: `${here}test/runners/node_modules/mocha/bin/mocha.js`,
};
const body = `
describe("suite", () => {
  it("one", () => {});
  it.skip("skipped", () => {});
  describe("inner", () => { it("deep", () => {}); });
});
it("same", () => {});
it("same", () => {});
it("constructor", () => {});
it("fails", () => { throw new Error("x"); });
`;
describe("x", () => {
  it.each([
    "vitest run --globals",
    "vitest run --globals --reporter=dot",
    "jest",
    "mocha test/*.test.js",
    "mocha --parallel test/*.test.js",
  ])("%s", async (words) => {
    const [name, ...rest] = words.split(" ");
    using ground = provingGround({ "test/a.test.js": body, "package.json": "{}" });
    const { exit, tail, inventory } = await ground.check(`node ${bins[name as "jest"]} ${rest.join(" ")}`);
    expect({ exit, inventory }, tail).toEqual([]);
  });
});
