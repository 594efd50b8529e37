import { describe, expect, it } from "vitest";
import { detectSetup } from "./detect-setup.ts";
import { missingIn, missingSetup } from "./missing-setup.ts";

type Files = Readonly<Record<string, string>>;

const top = (files: Files) => ({
  has: (name: string) => Object.hasOwn(files, name),
  text: (name: string) => files[name],
});
const setupOf = (files: Files, included: readonly string[] = []) => {
  const { commands, ...rest } = detectSetup(top(files), { paths: Object.keys(files), included });
  return { commands: commands.map((words) => words.join(" ")), ...rest };
};

const ci = "npm ci --no-audit --no-fund";
const install = "npm install --no-package-lock --no-audit --no-fund";
const depends = JSON.stringify({ devDependencies: { eslint: "9" } });
const withManager = (packageManager: string) => JSON.stringify({ dependencies: { a: "1" }, packageManager });
const venv = "python3 -m venv --system-site-packages .venv";
const pip = (what: string) => `.venv/bin/python -m pip install --disable-pip-version-check --quiet ${what}`;

describe("the setup of a tree", () => {
  it.each<[Files, string[], string]>([
    [{ "package-lock.json": "", "package.json": "" }, [ci], "package-lock.json"],
    [{ "package-lock.json": "", "yarn.lock": "" }, [ci], "package-lock.json (yarn.lock not used)"],
    [
      { "package-lock.json": "", "pnpm-lock.yaml": "", "package.json": withManager("pnpm@9.1.0") },
      ["pnpm install --frozen-lockfile"],
      "pnpm-lock.yaml (package-lock.json not used)",
    ],
    [{ "yarn.lock": "" }, ["yarn install --immutable"], "yarn.lock"],
    [{ "yarn.lock": "# yarn lockfile v1\n" }, ["yarn install --frozen-lockfile"], "yarn.lock"],
    [{ "bun.lockb": "" }, ["bun install --frozen-lockfile"], "bun.lockb"],
    [{ "package.json": depends }, [install], "package.json, without a lock file"],
    [{ "package.json": '{"workspaces":["a"]}' }, [install], "package.json, without a lock file"],
    [
      { "package.json": depends, "pnpm-workspace.yaml": "" },
      ["pnpm install --no-lockfile"],
      "package.json, without a lock file",
    ],
    [
      { "package.json": withManager("yarn@4.1.0") },
      ["yarn install --no-immutable"],
      "package.json, without a lock file",
    ],
    [{ "uv.lock": "", "pyproject.toml": "[project]\n" }, ["uv sync --frozen"], "uv.lock"],
    [{ "poetry.lock": "" }, ["poetry install --no-interaction"], "poetry.lock"],
    [
      { "pyproject.toml": "[project]\n[tool.uv]\n" },
      ["uv sync"],
      "pyproject.toml with [tool.uv], without a lock file",
    ],
    [
      { "pyproject.toml": "[tool.poetry.dependencies]\n" },
      ["poetry install --no-interaction"],
      "pyproject.toml with [tool.poetry], without a lock file",
    ],
    [
      { "requirements.txt": "", "requirements-dev.txt": "" },
      [venv, pip("-r requirements.txt -r requirements-dev.txt")],
      "requirements.txt, requirements-dev.txt, into .venv",
    ],
    [
      {
        "pyproject.toml":
          '[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["pytest"]\ndocs = []\n[tool.x]\ndev = 1\n',
      },
      [venv, pip("-e .[test]")],
      "pyproject.toml, into .venv",
    ],
    [
      { "pyproject.toml": '[project]\ndependencies = [\n  "attrs",\n]\n' },
      [venv, pip("-e .")],
      "pyproject.toml, into .venv",
    ],
    [{ "pyproject.toml": "[build-system]\n" }, [venv, pip("-e .")], "pyproject.toml, into .venv"],
    [{ "setup.py": "" }, [venv, pip("-e .")], "setup.py, into .venv"],
    [{ "setup.cfg": "[metadata]\n" }, [venv, pip("-e .")], "setup.cfg, into .venv"],
    [{ "Cargo.lock": "", "Cargo.toml": "" }, ["cargo fetch"], "Cargo.lock"],
    [{ "Cargo.toml": "" }, ["cargo fetch"], "Cargo.toml"],
    [{ "go.sum": "", "go.mod": "" }, ["go mod download"], "go.sum"],
    [{ "go.mod": "module a\nrequire b v1\n" }, ["go mod download"], "go.mod"],
    [
      { "yarn.lock": "", "Gemfile.lock": "", "pyproject.toml": "[tool.ruff]\n" },
      ["yarn install --immutable", "bundle install"],
      "yarn.lock; Gemfile.lock",
    ],
  ])("is detected from its files: %j", (files, commands, why) => {
    expect(setupOf(files)).toEqual({ commands, why, next: null });
  });

  it.each<[Files, string, string | null]>([
    [{}, "no manifest and no lock file in the top folder", null],
    [{ Makefile: "" }, "make: nothing to install", null],
    [{ "package.json": '{"scripts":{}}' }, "package.json names no dependencies", null],
    [{ "package.json": '{"dependencies":{}}' }, "package.json names no dependencies", null],
    [{ "package.json": "{" }, "package.json is not a JSON object", null],
    [{ "go.mod": "module a\n" }, "go.mod requires no modules", null],
    [{ "pyproject.toml": "[tool.ruff]\n" }, "pyproject.toml names nothing to install", null],
    [
      { "pyproject.toml": '[project]\nname = "a"\ndependencies = []\n' },
      "pyproject.toml names nothing to install",
      null,
    ],
    [{ Pipfile: "" }, "Pipfile", "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"],
    [{ "pdm.lock": "" }, "pdm.lock", "pdm sync"],
    [{ Gemfile: "" }, "Gemfile without Gemfile.lock", "bundle install"],
    [
      { "web/package.json": "", "web/package-lock.json": "", "web/admin/package.json": "" },
      "no manifest in the top folder, but web/package.json and 1 more",
      "npm --prefix web ci",
    ],
    [{ "api/go.mod": "" }, "no manifest in the top folder, but api/go.mod", "cd api && …"],
    [{ "test/fixtures/package.json": "" }, "no manifest and no lock file in the top folder", null],
  ])("is empty, with the reason and the next step: %j", (files, why, next) => {
    expect(setupOf(files)).toEqual({ commands: [], why, next });
  });

  it("is empty if a person includes the installed files", () => {
    const why = "node_modules comes from `workspace.include`";
    expect(setupOf({ "package.json": depends }, ["node_modules"])).toEqual({ commands: [], why, next: null });
    expect(setupOf({ "requirements.txt": "" }, [".venv"]).commands).toEqual([]);
    expect(setupOf({ "requirements.txt": "" }, ["node_modules"]).commands).toHaveLength(2);
  });
});

describe("what is missing for a command", () => {
  it.each<[number, string, string, string | null]>([
    [127, "sh: 1: eslint: not found", "the program `eslint`", null],
    [127, "> x@1.0.0 test\n> eslint .\n\nsh: eslint: command not found", "the program `eslint`", null],
    [127, "bash: line 1: pytest: command not found", "the program `pytest`", null],
    [
      2,
      "make: mocha: No such file or directory\nmake: *** [Makefile:2: test] Error 127",
      "the program `mocha`",
      null,
    ],
    [127, "", "a program", null],
    [
      1,
      "Error: Cannot find module 'lodash/fp'\nRequire stack:",
      "the package `lodash/fp`",
      "npm install --no-save lodash",
    ],
    [
      1,
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /x/y.js",
      "the package `@a/b`",
      "npm install --no-save @a/b",
    ],
    [
      2,
      "a.ts(1,2): error TS2307: Cannot find module 'zod' or its types",
      "the package `zod`",
      "npm install --no-save zod",
    ],
    [
      1,
      "E   ModuleNotFoundError: No module named 'yaml.x'",
      "the package `yaml.x`",
      "python3 -m venv --system-site-packages .venv && .venv/bin/pip install yaml",
    ],
    [
      1,
      "/usr/bin/python3: No module named pytest",
      "the package `pytest`",
      "python3 -m venv --system-site-packages .venv && .venv/bin/pip install pytest",
    ],
    [
      1,
      "a.go:3:2: no required module provides package github.com/a/b; to add it:",
      "the package `github.com/a/b`",
      null,
    ],
  ])("with exit %i and %j", (exit, output, what, line) => {
    expect(missingIn(exit, output)).toEqual({ what, install: line });
  });

  it.each([
    [1, "AssertionError: expected 'x: not found' to be 'y'"],
    [1, "sh: 1: eslint: not found"],
    [1, "Error: Cannot find module './f.js'"],
    [1, "Error: Cannot find module '/tmp/f.js'"],
    [1, "1 failing"],
    [2, "make: *** [Makefile:2: test] Error 1"],
  ])("is nothing with exit %i and %j", (exit, output) => {
    expect(missingIn(exit, output)).toBeUndefined();
  });

  it("is reported with the cause and the line to write", () => {
    const plan = { commands: [], why: "Pipfile", next: "pipenv sync" };
    expect(missingSetup("npm test", { what: "a program", install: null }, plan)).toBe(
      '`npm test` cannot run on the base: a program is missing, and nothing was installed (Pipfile); write `workspace: { setup: ["pipenv sync"] }` into .lockstep/config.yaml',
    );
  });
});
