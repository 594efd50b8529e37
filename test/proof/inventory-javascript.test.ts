import { describe, expect, it } from "vitest";
import { inFile, isMissing, listTests, scripts } from "../support/test-runners.ts";

/** The tests of a project, as text. These tests check that a skipped test is listed as skipped. */
const tests = `
describe("suite", () => {
  it("one", () => {});
  it.skip("skipped", () => {});
  describe("inner", () => it("deep", () => {}));
});
it("same", () => {});
it("same", () => {});
it("constructor", () => {});
it("fails", () => {
  throw new Error("fails");
});
it("environment", () => {
  const { NODE_OPTIONS, PYTHONPATH, GOFLAGS } = process.env;
  if (NODE_OPTIONS ?? PYTHONPATH ?? GOFLAGS) throw new Error(NODE_OPTIONS);
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const inner = 'require("node:test")("x", () => process.exit(0))';
  const { status } = spawnSync(process.execPath, ["-e", inner], { env: { PATH: process.env.PATH } });
  if (status !== 0) throw new Error("inner");
});
`;
const listed = {
  "suite > one": "pass",
  "suite > skipped": "skip",
  "suite > inner > deep": "pass",
  same: "pass",
  "same #2": "pass",
  constructor: "pass",
  fails: "fail",
  environment: "pass",
};
const early =
  'it("a", () => {});\nit("b", () => process.exit(0));\nit("c", () => { throw new Error("c"); });\n';

describe("the tests of vitest", () => {
  const vitest = `node ${scripts.vitest} run --globals`;
  const more = `${tests}
it.todo("to do");
it.fails("expected", () => { throw new Error("x"); });
it.each([1, 2])("each %i", () => {});
`;
  const all = { ...listed, "to do": "skip", expected: "skip", "each 1": "pass", "each 2": "pass" };

  it("are listed beside the project's own reporters, with forks and threads", async () => {
    const config = 'export default { test: { reporters: ["tap"] } };\n';
    const files = { "a.test.js": more, "tap.config.js": config, "package.json": '{ "type": "module" }' };
    const commands = [`${vitest} --reporter=dot`, `${vitest} --pool=threads --config tap.config.js`];
    const got = await listTests(files, commands);
    for (const { exit, tail, runners, cut, tests } of got) {
      expect(exit, tail).toBe(1);
      expect({ runners, cut, tests }, tail).toEqual({
        runners: ["vitest"],
        cut: null,
        tests: inFile("a.test.js", all),
      });
    }
    expect(got[1]?.tail).toContain("TAP version");
  });

  it("are listed by project, and a file that cannot be loaded fails", async () => {
    const projects = ["x", "y"].map((name) => ({ extends: true, test: { name } }));
    const files = {
      "vitest.config.js": `export default ${JSON.stringify({ test: { projects } })};\n`,
      "a.test.js": 'it("a", () => {});\n',
      "b.test.js": "throw new Error('b');\n",
      "package.json": '{ "type": "module" }',
    };
    const [got] = await listTests(files, [vitest]);
    expect(got).toMatchObject({ exit: 1, cut: null });
    expect(got?.tests).toEqual({
      "a.test.js > (x) > a": "pass",
      "a.test.js > (y) > a": "pass",
      "b.test.js > (x)": "fail",
      "b.test.js > (y)": "fail",
    });
  });

  it("are truncated if the runner does not finish, and are absent if nothing runs", async () => {
    const files = {
      "a.test.js": 'it("a", () => {});\n',
      "vitest.config.js": 'export default { test: { globalSetup: "./exit.js" } };\n',
      "exit.js": "export default () => process.exit(0);\n",
      "package.json": '{ "type": "module" }',
    };
    const [cut, listing] = await listTests(files, [
      vitest,
      `node ${scripts.vitest} list --globals --filesOnly`,
    ]);
    expect(cut).toMatchObject({ exit: 0, cut: "vitest began and did not finish" });
    expect(listing).toMatchObject({ exit: 0, inventory: null });
  });
});

describe.skipIf(isMissing("jest"))("the tests of jest", () => {
  const jest = `node ${scripts.jest}`;

  it("are listed beside the project's own reporters, with workers", async () => {
    const reporter = "module.exports = class { onRunComplete() { console.log('own reporter'); } };\n";
    const files = {
      "test/a.test.js": `${tests}it.todo("to do");\nit.each([1, 2])("each %i", () => {});\n`,
      "test/b.test.js": 'it("b", () => {});\n',
      "broken.test.js": "this is not JavaScript\n",
      "own.js": reporter,
      "package.json": '{ "jest": { "reporters": ["<rootDir>/own.js"] } }',
    };
    const [got] = await listTests(files, [`${jest} --maxWorkers=2`]);
    expect(got?.exit, got?.tail).toBe(1);
    expect(got?.tail).toBe("own reporter\n");
    expect(got).toMatchObject({ runners: ["jest"], cut: null });
    expect(got?.tests).toEqual({
      ...inFile("test/a.test.js", { ...listed, "to do": "skip", "each 1": "pass", "each 2": "pass" }),
      "test/b.test.js > b": "pass",
      "broken.test.js": "fail",
    });
  });

  it("are truncated by an early exit", async () => {
    const [got] = await listTests({ "early.test.js": early, "package.json": "{}" }, [`${jest} --runInBand`]);
    expect(got).toMatchObject({ exit: 0, cut: "jest began and did not finish" });
  });
});

describe.skipIf(isMissing("mocha"))("the tests of mocha", () => {
  const mocha = `node ${scripts.mocha}`;

  it("are listed beside the project's own reporter, in one process, in a second one and in several", async () => {
    const files = { "test/a.js": `${tests}it("to do");\n`, "test/b.js": 'it("b", () => {});\n' };
    const commands = [`${mocha} --reporter=dot`, `${mocha} --expose-gc`, `${mocha} --parallel`];
    for (const { exit, tail, runners, cut, tests } of await listTests(files, commands)) {
      expect(exit, tail).toBe(1);
      expect({ runners, cut, tests }, tail).toEqual({
        runners: ["mocha"],
        cut: null,
        tests: { ...inFile("test/a.js", { ...listed, "to do": "skip" }), "test/b.js > b": "pass" },
      });
    }
  });

  it("are truncated by an early exit, not by one after the last test, and are one list with another runner's", async () => {
    const files = {
      "test/early.js": early,
      "late.js": 'it("a", () => {});\nafter(() => process.exit(0));\n',
      "test/b.js": 'it("b", () => {});\n',
      "c.test.mjs": 'import test from "node:test"; test("c", () => {});',
    };
    const commands = [mocha, `${mocha} test/b.js && node --test c.test.mjs`, `${mocha} late.js`];
    const [cut, both, late] = await listTests(files, commands);
    expect(late).toMatchObject({ exit: 0, cut: null, tests: { "late.js > a": "pass" } });
    expect(cut).toMatchObject({ exit: 0, cut: "mocha began and did not finish" });
    expect(both).toMatchObject({ exit: 0, runners: ["mocha", "node:test"], cut: null });
    expect(both?.tests).toEqual({ "test/b.js > b": "pass", "c.test.mjs > c": "pass" });
  });
});
