import { describe, expect, it } from "vitest";
import { foundRepository, landRepository } from "../support/land-repository.ts";
import { isMissing, listTests, python, scripts } from "../support/test-runners.ts";

/** The number of tests that each command ran and skipped; null if they were not counted. */
async function count(files: Readonly<Record<string, string>>, commands: readonly string[]) {
  const listed = await listTests(files, commands);
  return listed.map(({ exit, count: tests }) => ({ exit, ...(tests ?? { ran: null }) }));
}

const nothing = { exit: 0, ran: 0, skipped: 0 };
const oneSkipped = { exit: 0, ran: 0, skipped: 1 };

describe("a check that passes without a test", () => {
  it("is counted with node:test and vitest: no files, a filter that matches nothing, all skipped", async () => {
    const files = {
      "package.json": '{"type":"module"}',
      "a.test.mjs": 'import { test } from "node:test"; test.skip("a", () => {});',
      "b.test.mjs": 'import { test } from "node:test"; test("b", () => {});',
      "script.mjs": 'import assert from "node:assert"; assert(true);',
      "v.test.js": 'import { test } from "vitest"; test("v", () => {});',
    };
    const vitest = `node ${scripts.vitest} run`;
    const found = await count(files, [
      "node --test 'none/*.test.mjs'",
      "node --test a.test.mjs",
      "node --test --test-name-pattern=zzz b.test.mjs",
      "node --test b.test.mjs",
      "node --test script.mjs",
      "node script.mjs",
      `${vitest} --passWithNoTests none`,
      `${vitest} v.test.js -t zzz`,
    ]);
    const ran = { exit: 0, ran: 1, skipped: 0 };
    expect(found).toEqual([
      ...[nothing, oneSkipped, nothing, ran, ran],
      { exit: 0, ran: null },
      ...[nothing, oneSkipped],
    ]);
  });

  it.skipIf(isMissing("jest"))("is counted with jest", async () => {
    const files = { "a.test.js": 'test("a", () => {});\n', "jest.config.json": "{}\n" };
    const jest = `node ${scripts.jest} -c jest.config.json`;
    expect(await count(files, [`${jest} --passWithNoTests none`, `${jest} -t zzz`])).toEqual([
      nothing,
      oneSkipped,
    ]);
  });

  it.skipIf(isMissing("pytest"))("is counted with pytest", async () => {
    const files = { "test_a.py": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n" };
    expect(await count(files, [`${python} -m pytest -q none || true`, `${python} -m pytest -q`])).toEqual([
      nothing,
      oneSkipped,
    ]);
  });

  it.skipIf(isMissing("go"))("is counted with go", async () => {
    const test = 'package y\nimport "testing"\nfunc TestA(t *testing.T) {}\n';
    const files = { "go.mod": "module x\n\ngo 1.18\n", "x.go": "package x\n", "y/y_test.go": test };
    expect(await count(files, ["go test .", "go test ./y -run ZZZ", "go test ./..."])).toEqual([
      ...[nothing, nothing],
      { exit: 0, ran: 1, skipped: 0 },
    ]);
  });

  it.skipIf(isMissing("cargo"))("is counted with cargo", async () => {
    const files = { "Cargo.toml": '[package]\nname="x"\nversion="0.1.0"\n', "src/lib.rs": "pub fn a() {}\n" };
    expect(await count(files, ["cargo test --offline"])).toEqual([nothing]);
  });

  const project = (test: string) => ({
    "package.json": JSON.stringify({ scripts: { test } }),
    "test/f.test.js": "",
  });
  const warning = (why: string) =>
    `warning: \`npm test\` passed, but ${why}, so it verified nothing: add tests, or name a check with --check\n`;

  it.each<[string, string]>([
    ["node --test 'none/*.js'", "no tests ran"],
    ["exit 0", "no tests ran"],
    ["echo no tests yet", "no tests ran"],
    ["node --test skipped.test.js", "all 2 tests were skipped"],
  ])("is merged with a warning, and its proof says so: %s", async (script, why) => {
    const skipped =
      'const { test } = require("node:test");\ntest.skip("a", () => {});\ntest.skip("b", () => {});\n';
    using repository = foundRepository({ ...project(script), "skipped.test.js": skipped });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.branch("more", { "g.js": "exports.g = 2;\n" });
    expect(await repository.run(["land", "work"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(warning(why)),
    });
    expect(repository.git("show", "-s", "--format=%B")).toContain(`npm test (pass, ${why})`);
    const { evidence } = JSON.parse(repository.git("notes", "--ref=lockstep", "show", "HEAD"));
    expect(evidence[0].after.tests.ran).toBe(0);
    expect((await repository.run(["task", "show", "land-work"])).stdout).toContain(why);
    expect((await repository.run(["doctor"])).stdout).toMatch(/! tests +npm test .*: it verifies nothing/);
    const { landed } = await repository.land("more");
    expect(landed).toMatchObject({ outcome: "merged", evidence: [{ after: { tests: { ran: 0 } } }] });
  });

  it("is not warned about if a test ran, or if the tests were not counted", async () => {
    const test = 'require("node:test").test("a", () => {});\n';
    using repository = landRepository({
      ".lockstep/config.yaml": 'checks: { default: ["node --test a.test.js", "node other.js"] }\n',
      "a.test.js": test,
      "other.js": "",
    });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const { status, stdout } = await repository.run(["land", "work"]);
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.not.stringContaining("warning") });
    expect((await repository.run(["doctor"])).stdout).toMatch(/✓ tests +node --test a\.test\.js, /);
  });

  it("waits for a person if it has to prove the change", async () => {
    using repository = landRepository();
    const test = 'require("node:test").test("a", () => {});\n';
    repository.branch("work", { "a.test.js": test });
    const proves = "test -e a.test.js && node --test --test-name-pattern=zzz a.test.js";
    const { status, landed } = await repository.land("work", "--proves", proves);
    expect({ status, refused: landed.refused }).toMatchObject({
      status: 3,
      refused: { code: "R-PC-002", reason: expect.stringContaining("proves nothing: no tests ran") },
    });
    expect((await repository.run(["decide"])).stdout).toContain("no tests ran");
    expect((await repository.land("work", "--proves", proves.replace("zzz", "a"))).landed.outcome).toBe(
      "merged",
    );
  });
});
