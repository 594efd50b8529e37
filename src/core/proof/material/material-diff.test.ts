import { describe, expect, it } from "vitest";
import { type MaterialFacts, readMaterialDiff } from "./material-diff.ts";

// Concatenated, so that this file does not look like one with skipped tests.
const skipped = ["it", "skip"].join(".");

const facts: MaterialFacts = {
  isNamed: (path) => path === "scripts/ci.sh",
  configured: (path) =>
    path.startsWith("judges/") ? true : path.startsWith("src/tests/") ? false : undefined,
  mayChange: (path) => path === "test/free.test.js",
  runsExamples: () => true,
  tellsTests: false,
  mayShadow: (path) => path === "test/expected.js",
};
const read = (path: string, before: string | undefined, after: string | undefined) =>
  readMaterialDiff([{ path, before, after }], facts);

const rust = `pub fn a() -> i32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(a(), 1); // "}" in a comment\n    }\n}\n`;

describe("what a change does to test material", () => {
  it.each<[string, string, string | undefined, string | undefined]>([
    ["an edited test", "test/a.test.js", "a", "b"],
    ["a deleted test", "test/a.test.js", "a", undefined],
    ["an edited helper", "test/helper.js", "a", "b"],
    ["edited data", "test/fixtures/a.json", "1", "2"],
    ["an added conftest", "conftest.py", undefined, "x"],
    ["an added helper", "test/helper.js", undefined, "x"],
    ["an added configuration", "vitest.config.ts", undefined, "x"],
    [
      "an added package with imports of its own",
      "test-side/package.json",
      undefined,
      '{"imports":{"#a":"./b.js"}}',
    ],
    ["settings of a tool that is not known", "package.json", '{"size-limit":[1]}', '{"size-limit":[9]}'],
    ["an added .npmrc", ".npmrc", undefined, "script-shell=true"],
    ["an added module that shadows the runner", "unittest.py", undefined, "x"],
    ["an added package that shadows the runner", "pytest/__init__.py", undefined, "x"],
    ["an added package in node_modules", "node_modules/chai/index.js", undefined, "x"],
    ["a script that a check starts", "scripts/ci.sh", "npm test", "true"],
    ["a path that is configured", "judges/a.js", "a", "b"],
    ["a redefined script", "package.json", '{"scripts":{"test":"a"}}', '{"scripts":{"test":"b"}}'],
  ])("must be judged: %s", (_name, path, before, after) => {
    const { mustJudge, restored } = read(path, before, after);
    expect(mustJudge).toBe(true);
    expect(restored.has(path)).toBe(true);
  });

  const cmake = "enable_testing()\nadd_test(NAME a COMMAND a)\nadd_library(x x.c)\n";
  const pom = "<project>\n<dependencies>\n</dependencies>\n</project>\n";
  it.each<[string, string, string | undefined, string | undefined]>([
    ["a test that CMake no longer has", "CMakeLists.txt", cmake, cmake.replace(/add_test.*\n/, "")],
    ["a test that runs another program", "CMakeLists.txt", cmake, cmake.replace("COMMAND a", "COMMAND true")],
    ["a folder of tests that is left out", "CMakeLists.txt", "add_subdirectory(test)\n", "\n"],
    ["a deleted list of tests", "cmake/tests.cmake", cmake, undefined],
    ["a property that skips tests", "pom.xml", pom, pom.replace("<dep", "<skipTests>true</skipTests>\n<dep")],
    ["an option that skips tests", ".mvn/maven.config", undefined, "-DskipTests\n"],
    ["failures that do not count", "build.gradle.kts", "", "tasks.test { ignoreFailures = true }\n"],
    ["classes that are left out", "build.gradle", "", "test { exclude '**/Slow*' }\n"],
    ["only some tests", "build.gradle", "", "filter { includeTestsMatching '*Fast' }\n"],
    ["a rule that is gone", "BUILD.bazel", 'cc_test(name = "a")\n', ""],
  ])("is asked about if the checks do not report single tests: %s", (_name, path, before, after) => {
    expect(read(path, before, after).asks.map((one) => one.path)).toEqual([path]);
    const told = readMaterialDiff([{ path, before, after }], { ...facts, tellsTests: true });
    expect(told.asks).toEqual([]);
  });

  it.each<[string, string, string | undefined, string | undefined]>([
    ["a source file in CMake", "CMakeLists.txt", cmake, `${cmake}add_library(y y.c)\n`],
    ["another test in CMake", "CMakeLists.txt", cmake, `${cmake}add_test(NAME b COMMAND b)\n`],
    ["a dependency in Maven", "pom.xml", pom, pom.replace("</dep", "<dependency>a</dependency>\n</dep")],
    ["a dependency of a dependency", "pom.xml", pom, pom.replace("</dep", "<exclusion>a</exclusion>\n</dep")],
    ["a group that is left out", "build.gradle", "", "implementation('a') {\n  exclude group: 'b'\n}\n"],
    ["a new build", "build.gradle", undefined, "apply plugin: 'java'\n"],
  ])("is not asked about: %s", (_name, path, before, after) => {
    expect(read(path, before, after).asks).toEqual([]);
  });

  it.each<[string, string, string | undefined, string | undefined]>([
    ["the product", "src/a.js", "a", "b"],
    ["a version of a dependency", "package.json", '{"version":"1"}', '{"version":"2"}'],
    ["a path that is ignored", "src/tests/model.js", "a", "b"],
    ["a test that a person let it change", "test/free.test.js", "a", "b"],
    ["a module of a package", "pkg/json.py", undefined, "x"],
    ["a new package of the project's", "packages/b/package.json", undefined, '{"scripts":{"test":"x"}}'],
    ["an automation", ".github/workflows/ci.yml", "name: a", "name: b"],
  ])("need not be judged: %s", (_name, path, before, after) => {
    const { mustJudge, addsTests, restored } = read(path, before, after);
    expect([mustJudge, addsTests, restored.size]).toEqual([false, false, 0]);
  });

  it("only adds a new test, which is absent when the tests of the base judge", () => {
    const { mustJudge, addsTests, reachesOthers, restored } = read("test/b.test.js", undefined, "it('b')");
    expect([mustJudge, addsTests, reachesOthers]).toEqual([false, true, false]);
    expect(restored.get("test/b.test.js")).toBe("absent");
  });

  it.each([
    'writeFileSync("src/a.js", "")',
    "execSync('git apply x')",
    "import subprocess",
    'open("src/a.py", "w").write("")',
    'os.WriteFile("a.go", nil, 0o600)',
  ])("may reach beyond its process through a new test with %s", (text) => {
    expect(read("test/z.test.js", undefined, text).reachesOthers).toBe(true);
  });

  it("may shadow a test file with a new file that has another extension", () => {
    expect(read("test/expected.js", undefined, "module.exports = 1").reachesOthers).toBe(true);
  });

  it("must be judged if it adds data, because tests may find it", () => {
    expect(read("test/known-failures.json", undefined, "[]").mustJudge).toBe(true);
  });

  it("is asked about if it changes or removes tests inside the source", () => {
    const asks = (after: string | undefined) => read("src/lib.rs", rust, after).asks.map(({ what }) => what);
    expect(asks(rust.replace("{ 1 }", "{ 2 - 1 }"))).toEqual([]);
    expect(asks(rust.replace("\n}\n", "\n\n    #[test]\n    fn two() { assert!(true); }\n}\n"))).toEqual([]);
    expect(asks(rust.replace("a(), 1", "1, 1"))).toEqual(["1 test inside the source changed or removed"]);
    expect(asks(rust.replace("#[test]", "#[test]\n    #[ignore]"))).toHaveLength(1);
    expect(asks(rust.replace("#[cfg(test)]", "#[cfg(never)]"))).toHaveLength(1);
    expect(asks(rust.slice(0, rust.indexOf("#[cfg")))).toHaveLength(1);
    expect(asks(undefined)).toHaveLength(1);
    expect(
      asks(rust.replace("use super", "macro_rules! assert_eq { ($($t:tt)*) => {}; }\n    use super")),
    ).toEqual(["an assertion is redefined inside the source"]);
  });

  it("is asked about if it changes an example in the documentation", () => {
    const doc = "/// ```\n/// assert_eq!(a::one(), 1);\n/// ```\npub fn one() -> i32 { 1 }\n";
    expect(read("src/lib.rs", doc, doc.replace("```\n", "```ignore\n")).asks).toHaveLength(1);
    expect(read("src/lib.rs", doc, `//! # Title\n${doc}`).asks).toEqual([]);
    const python = 'def f():\n    """\n    >>> f()\n    1\n    """\n';
    expect(read("a.py", python, python.replace("    1\n", "    2\n")).asks).toHaveLength(1);
    expect(read("a.py", python, python.replace("def f()", "def f(*a)")).asks).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    [
      "package.json",
      '{"scripts":{"test":"jest"}}',
      '{"scripts":{"test":"jest || true"}}',
      "a failure is ignored",
    ],
    ["Makefile", "test:\n\tpytest", "test:\n\tpytest || exit 0", "a failure is ignored"],
    ["jest.config.js", "{ branches: 90 }", "{ branches: 50 }", "a coverage limit was lowered"],
    [".coveragerc", "fail_under = 90", "", "a coverage limit was lowered"],
    ["src/a.ts", "const a = 1;", "// @ts-nocheck\nconst a = '1';", "a check is disabled for the whole file"],
  ])("is asked about if %s checks less", (path, before, after, what) => {
    expect(read(path, before, after).asks.map((one) => one.what)).toEqual([what]);
    expect(read(path, before, before).asks).toEqual([]);
  });

  it("is asked about if CI checks less", () => {
    const ci = "jobs:\n  test:\n    steps:\n      - run: npm ci\n      - run: npm test\n";
    const asks = (after: string | undefined) =>
      read(".github/workflows/ci.yml", ci, after).asks.map(({ what }) => what);
    expect(asks(ci.replace("      - run: npm test\n", ""))).toEqual(["CI no longer runs `npm test`"]);
    expect(asks(ci.replace("npm test", "npm test || true"))).toEqual(["CI ignores a failure"]);
    expect(asks(`${ci}        continue-on-error: true\n`)).toEqual(["CI ignores a failure"]);
    expect(asks(undefined)).toEqual(["CI configuration with checks deleted"]);
    expect(asks(ci.replace("npm ci", "npm ci --no-audit"))).toEqual([]);
    expect(asks(`${ci}      - run: npm run lint\n`)).toEqual([]);
  });

  it("keeps lines that only move from one test file to another", () => {
    const before = 'it("a", () => { expect(a()).toBe(1); });\n';
    const moved = readMaterialDiff(
      [
        { path: "test/a.test.js", before, after: undefined },
        { path: "test/b.test.js", before: undefined, after: before },
      ],
      facts,
    );
    const none = { assertions: 0, tests: 0, skipped: 0, hollow: 0, shortened: 0, deleted: [], emptied: [] };
    expect(moved.losses).toEqual(none);
    const gone = read("test/a.test.js", before, undefined);
    expect(gone.losses).toEqual({ ...none, assertions: 1, tests: 1, deleted: ["test/a.test.js"] });
    const skip = read("test/a.test.js", before, before.replace("it(", `${skipped}(`));
    expect(skip.losses).toEqual({ ...none, skipped: 1 });
    const commented = read("test/a.test.js", before, `it("a", () => {\n  // expect(a()).toBe(1);\n});\n`);
    expect(commented.losses.assertions).toBe(1);
  });

  it.each<[string, string, string, string]>([
    ["emptied", "a.test.js", 'it("a", () => { expect(a()).toBe(1); });', 'it("a", () => {});'],
    ["emptied", "test_a.py", "def test_a():\n    assert a() == 1\n", "def test_a():\n    pass\n"],
    ["emptied", "a_test.go", "func TestA(t *testing.T) {\n\tt.Error(1)\n}", "func TestA(t *testing.T) {\n}"],
    ["left early", "a.test.js", 'it("a", () => {\n  f();\n});', 'it("a", () => {\n  return;\n  f();\n});'],
    ["left early", "test_a.py", "def test_a():\n    check()\n", "def test_a():\n    return\n    check()\n"],
    ["made to swallow", "a.test.js", 'it("a", () => { f(); });', 'it("a", () => { try { f(); } catch {} });'],
    [
      "made to swallow",
      "test_a.py",
      "def test_a():\n    f()\n",
      "def test_a():\n    try:\n        f()\n    except Exception:\n        pass\n",
    ],
    [
      "made to compare itself",
      "a.test.js",
      'it("a", () => { assert.equal(f(1), 2); });',
      'it("a", () => { assert.equal(f(1), f(1)); });',
    ],
  ])("is reported if a test is %s in %s", (_how, path, before, after) => {
    expect(read(`test/${path}`, before, after).losses.hollow).toBe(1);
  });

  it("is reported if assertions are shortened or removed, not if they are rewritten", () => {
    const shortened = (before: string, after: string) =>
      read("test/a.test.js", before, after).losses.shortened;
    expect(
      shortened("assert.throws(\n  () => f(1),\n  /one/,\n);", "assert.throws(\n  () => f(1),\n);"),
    ).toBe(1);
    expect(shortened("assert(a);\nassert(b);\n", "assert(a);\n")).toBe(1);
    expect(shortened("assert f(a) == 1\n", "assert f(a)\n")).toBe(1);
    expect(shortened("expect(f(a)).toEqual({ b: 1 });", "expect(f(a)).toBeTruthy();")).toBe(1);
    expect(shortened("assert.equal(f(a, b), 1);", "assert.ok(f(a, b));")).toBe(1);
    expect(shortened("self.assertEqual(f(a), 1)", "self.assertTrue(f(a))")).toBe(1);
    expect(shortened("expect(a).toBe(1);", "expect(a).toStrictEqual(1);")).toBe(0);
    expect(shortened("assert a == 1\n", "assert a == 2\n")).toBe(0);
    expect(shortened("assert.ok(a);", "assert.equal(a, 1);")).toBe(0);
    expect(shortened("assert.equal(a, 1);", "assert.strictEqual(a, 1);")).toBe(0);
    expect(
      shortened(
        "assert.equal(f(1), 1);\nassert.equal(f(2), 2);",
        "for (const n of [1, 2]) assert.equal(f(n), n);",
      ),
    ).toBe(0);
    expect(shortened("assert(a);", "assert(a);\nassert(b);")).toBe(0);
    expect(shortened('assert.equal(a, 1, "why");', "assert.equal(a, 1);")).toBe(0);
  });
});
