import { describe, expect, it } from "vitest";
import { detectTests, whyNoTests } from "./detect-commands.ts";

const top = (files: Readonly<Record<string, string>>) => ({
  has: (name: string) => Object.hasOwn(files, name),
  text: (name: string) => files[name],
});
const scripts = (test: string) => JSON.stringify({ scripts: { test } });

describe("the tests of a tree", () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ["an npm script", { "package.json": scripts("vitest run") }, "npm test"],
    [
      "the script that npm init writes",
      { "package.json": scripts('echo "Error: no test specified" && exit 1') },
      undefined,
    ],
    ["a manifest that does not parse", { "package.json": "{" }, undefined],
    ["pytest", { "pytest.ini": "" }, "python -m pytest --tb=short -q"],
    [
      "pytest in pyproject",
      { "pyproject.toml": "[tool.pytest.ini_options]" },
      "python -m pytest --tb=short -q",
    ],
    ["pytest that tox installs", { "tox.ini": "deps =\n    pytest\n" }, "python -m pytest --tb=short -q"],
    ["pytest by its old name", { "setup.cfg": "commands = py.test -q\n" }, "python -m pytest --tb=short -q"],
    ["a file of pytest's", { "conftest.py": "" }, "python -m pytest --tb=short -q"],
    ["a project that tests with something else", { "pyproject.toml": 'test = ["nose"]\n' }, undefined],
    ["cargo", { "Cargo.toml": "" }, "cargo test"],
    ["go", { "go.mod": "" }, "go test ./..."],
    ["a Makefile with tests", { Makefile: "all:\n\ntest: all\n\tsh t.sh\n" }, "make test"],
    ["a Makefile without", { Makefile: "all:\n" }, undefined],
    ["nothing", {}, undefined],
  ])("are found by %s", (_name, files, command) => {
    expect(detectTests(top(files))).toBe(command);
  });

  it.each([
    ["npm's placeholder", scripts('echo "Error: no test specified" && exit 1'), /npm's placeholder/],
    [
      "a manifest that does not parse",
      '{\n  "a": 1,\n}',
      /^package\.json cannot be parsed: .*line 3 column 1/,
    ],
    ["a manifest without scripts", "{}", /^no test command was found: /],
  ])("are missing with a reason: %s", (_name, text, why) => {
    expect(whyNoTests(top({ "package.json": text }))).toMatch(why);
  });
});
