import { describe, expect, it } from "vitest";
import { inTmp } from "../support/proving-ground.ts";
import { inFile, listTests } from "../support/test-runners.ts";

/** The tests of a project, as text. These tests check that a skipped test is listed as skipped. */
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
const listed = inFile("test/a.test.mjs", {
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
});
const scripts = { test: "true && node --test" };
const project = { "test/a.test.mjs": suite, "package.json": JSON.stringify({ scripts }) };
const cutAt = (file: string) => `node:test began ${file} and did not finish`;

describe("the tests of node:test", () => {
  it("are listed with every way to start them, beside the project's own reporter", async () => {
    const commands = [
      "npm test",
      "node test/a.test.mjs",
      "node --test --test-reporter=dot",
      "node --test --test-isolation=none",
      "echo 'node --test' > ci.sh && cd test && sh ../ci.sh",
    ];
    const all = await listTests(project, commands);
    for (const [at, { exit, tail, ...rest }] of all.entries()) {
      expect(exit, tail).toBe(0);
      expect(rest, commands[at]).toMatchObject({ runners: ["node:test"], tests: listed, cut: null });
      expect(Object.keys(rest.tests)).toHaveLength(Object.keys(listed).length);
    }
    expect(all[2]?.tail).toMatch(/^\.+/);
  });

  it("are listed without a sandbox, in folders whose names have spaces and quotes", async () => {
    const layout = { ...inTmp, state: 'the "state" of it' };
    const files = { 'a "b" c/x.test.mjs': suite };
    const [got] = await listTests(files, ["node --test"], { sandbox: "off" }, layout);
    expect(got).toMatchObject({ exit: 0, cut: null });
    expect(Object.keys(got?.tests ?? {})[0]).toBe('a "b" c/x.test.mjs > suite > one');
  });

  it("that fail are distinguished from files that fail", async () => {
    const files = {
      "a.test.mjs":
        'import test from "node:test"; test("a", () => { throw new Error("a"); }); test("b", () => {});',
      "broken.test.mjs": "this is not JavaScript",
      "script.test.mjs": "1 + 1;",
    };
    const [got] = await listTests(files, ["node --test"]);
    expect(got).toMatchObject({ exit: 1, cut: null });
    expect(got?.tests).toEqual({
      "a.test.mjs > a": "fail",
      "a.test.mjs > b": "pass",
      "broken.test.mjs": "fail",
      "script.test.mjs": "pass",
    });
  });

  it("are truncated by an exit in a test or a helper, and not by one after the last test", async () => {
    const files = {
      "in-test.mjs": 'import test from "node:test"; test("a", () => {}); test("b", () => process.exit(0));',
      "helper.mjs": "setImmediate(() => process.exit(0));",
      "helped.mjs":
        'import "./helper.mjs"; import test from "node:test"; test("a", (_, done) => { setTimeout(done, 9999); });',
      "in-hook.mjs":
        'import test, { after } from "node:test"; test("a", () => {}); after(() => process.exit(0));',
    };
    const all = await listTests(files, [
      "node --test in-test.mjs",
      "node helped.mjs",
      "node --test in-hook.mjs",
    ]);
    expect(all.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(all.map(({ cut }) => cut)).toEqual([cutAt("in-test.mjs"), cutAt("helped.mjs"), null]);
    expect(all[2]?.tests).toMatchObject({ "in-hook.mjs > a": "pass" });
  });

  it("do not see the reporters, and their own test runs are not listed", async () => {
    const inner = 'import test from "node:test"; test("x", () => process.exit(0));';
    const outer = `
import { deepEqual } from "node:assert";
import { spawnSync } from "node:child_process";
import test from "node:test";
test("environment", () => {
  const { NODE_OPTIONS, PYTHONPATH, GOFLAGS } = process.env;
  deepEqual({ NODE_OPTIONS, PYTHONPATH, GOFLAGS }, { NODE_OPTIONS: "--no-warnings", PYTHONPATH: undefined, GOFLAGS: undefined });
  deepEqual(process.execArgv.filter((word) => word.includes("require")), []);
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { status, stderr } = spawnSync(process.execPath, ["inner.mjs"], { env, encoding: "utf8" });
  deepEqual({ status, stderr }, { status: 0, stderr: "" });
});`;
    process.env.NODE_OPTIONS = "--no-warnings";
    try {
      const commands = ["node --test outer.mjs", "node outer.mjs"];
      const envPass = ["PATH", "HOME", "NODE_OPTIONS"];
      const all = await listTests({ "inner.mjs": inner, "outer.mjs": outer }, commands, { envPass });
      for (const { exit, tail, tests, cut } of all) {
        expect(exit, tail).toBe(0);
        expect({ tests, cut }).toEqual({ tests: { "outer.mjs > environment": "pass" }, cut: null });
      }
    } finally {
      delete process.env.NODE_OPTIONS;
    }
  });

  it("of two runs in one command are one list, and a command without a runner has none", async () => {
    const files = { "a.test.mjs": suite, "b.test.mjs": 'import test from "node:test"; test("b", () => {});' };
    const commands = ["node a.test.mjs && node --test b.test.mjs", "node -p 1", "true"];
    const [both, ...none] = await listTests(files, commands);
    expect(both).toMatchObject({ runners: ["node:test"], cut: null, tests: { "b.test.mjs > b": "pass" } });
    expect(Object.keys(both?.tests ?? {})).toHaveLength(11);
    expect(none.map(({ inventory, tail }) => ({ inventory, tail }))).toEqual([
      { inventory: null, tail: "1\n" },
      { inventory: null, tail: "" },
    ]);
  });
});
