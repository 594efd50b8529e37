import { describe, expect, it } from "vitest";
import { mixSections, sectionChanges } from "./manifest-sections.ts";
import { mixPackage, packageChanges, redirectedRunners } from "./package-manifest.ts";

const json = (value: unknown) => JSON.stringify(value);

describe("a mixed package.json", () => {
  it("has the base's scripts and tool settings, and the change's dependencies", () => {
    const base = json({ scripts: { test: "vitest run" }, jest: { bail: true }, dependencies: { a: "1" } });
    const changed = json({
      ...{ version: "2", scripts: { test: "exit 0", pretest: "node cheat.js" } },
      ...{ mocha: { spec: "none" }, dependencies: { a: "1", b: "2" } },
    });
    expect(JSON.parse(mixPackage(base, changed))).toEqual({
      version: "2",
      scripts: { test: "vitest run" },
      jest: { bail: true },
      dependencies: { a: "1", b: "2" },
    });
  });

  it("is the changed file itself if no script and no setting differs", () => {
    const changed = `{ "scripts": {"test":"x"},   "dependencies": {"b":"2"} }`;
    expect(mixPackage(json({ scripts: { test: "x" } }), changed)).toBe(changed);
  });

  it("keeps the imports of the base and adds new ones", () => {
    const base = json({ imports: { "#assert": "node:assert" } });
    const changed = json({ imports: { "#assert": "./always.js", "#db": "./db.js" } });
    expect(JSON.parse(mixPackage(base, changed)).imports).toEqual({
      "#assert": "node:assert",
      "#db": "./db.js",
    });
    expect(packageChanges(base, changed)).toEqual(["import `#assert` redirected"]);
  });

  it("is the file of the base if the changed one does not parse", () => {
    expect(JSON.parse(mixPackage(json({ scripts: { test: "x" } }), "{"))).toEqual({ scripts: { test: "x" } });
  });

  it("reports what was redefined", () => {
    const base = json({ scripts: { test: "a", lint: "b" }, jest: {} });
    expect(packageChanges(base, json({ scripts: { test: "z" }, nyc: {} }))).toEqual([
      ...["script `test` redefined", "script `lint` removed"],
      ...["`jest` settings removed", "`nyc` settings added"],
    ]);
  });
});

describe("a runner from elsewhere", () => {
  it.each([
    ["a folder", { devDependencies: { vitest: "file:vendor/vitest" } }],
    ["an alias", { devDependencies: { chai: "npm:other@1" } }],
    ["a repository", { devDependencies: { mocha: "github:me/mocha" } }],
    ["an override", { overrides: { vitest: "1.0.0" } }],
    ["a nested override", { overrides: { a: { "chai@4": "2" } } }],
    ["a resolution", { resolutions: { "**/jest": "1" } }],
    ["an override of pnpm's", { pnpm: { overrides: { "a>mocha": "1" } } }],
  ])("is found: %s", (_name, manifest) => {
    expect(redirectedRunners(json({ devDependencies: {} }), json(manifest))).toHaveLength(1);
  });

  it.each([
    ["a newer version", { devDependencies: { vitest: "^5.0.0" } }],
    ["a newer version within a range", { devDependencies: { typescript: "~5.5.3" } }],
    ["a library of the product", { dependencies: { left: "file:left" } }],
    ["an override of a library", { overrides: { left: "2" } }],
  ])("is not: %s", (_name, manifest) => {
    expect(redirectedRunners(json({ devDependencies: { vitest: "^4" } }), json(manifest))).toEqual([]);
  });
});

describe("a manifest with sections", () => {
  const base = `[project]\nname = "a"\ndependencies = ["x"]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n`;
  const changed = `[project]\nname = "a"\ndependencies = ["x", "y"]\n\n[tool.pytest.ini_options]\naddopts = "-k nothing"\n\n[tool.coverage.report]\nfail_under = 0\n`;

  it("has the base's tool sections, and the change's dependencies", () => {
    const mixed = mixSections("pyproject.toml", base, changed);
    expect(mixed).toContain('dependencies = ["x", "y"]');
    expect(mixed).toContain('addopts = "-q"');
    expect(mixed).not.toContain("fail_under");
    expect(sectionChanges("pyproject.toml", base, changed)).toEqual([
      "`[tool.pytest.ini_options]` changed",
      "`[tool.coverage.report]` added",
    ]);
  });

  it("is the changed file itself if no tool section differs", () => {
    const more = base.replace('"x"', '"x", "z"').replace("[tool", "# why\n[tool");
    expect(mixSections("pyproject.toml", base, more)).toBe(more);
    expect(sectionChanges("pyproject.toml", base, more)).toEqual([]);
  });

  it("keeps the keys of Cargo.toml that switch tests off", () => {
    const cargo = `[package]\nname = "a"\nedition = "2021"\n\n[lib]\nname = "a"\n\n[dependencies]\n`;
    const cheat = `[package]\nname = "a"\nedition = "2021"\nautotests = false\n\n[lib]\nname = "a"\ntest = false\n\n[[test]]\nname = "it"\nharness = false\n\n[dependencies]\nb = "1"\n`;
    const mixed = mixSections("Cargo.toml", cargo, cheat);
    expect(mixed).not.toMatch(/autotests|test = false|harness/);
    expect(mixed).toContain('b = "1"');
    expect(sectionChanges("Cargo.toml", cargo, cheat)).toEqual([
      ...["`[package]` changed", "`[lib]` changed", "`[test]` added"],
    ]);
  });

  it("takes the sections of setup.cfg that tools read", () => {
    const mixed = mixSections(
      "setup.cfg",
      "[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n",
      "[metadata]\nname = b\n[tool:pytest]\naddopts = --co\n",
    );
    expect(mixed).toBe("[metadata]\nname = b\n[tool:pytest]\naddopts = -q\n");
  });
});
