import { describe, expect, it } from "vitest";
import { filesNamedBy } from "./check-files.ts";

const tree = (files: Readonly<Record<string, string>>) => ({
  paths: () => Object.keys(files),
  has: (path: string) => Object.hasOwn(files, path),
  text: (path: string) => files[path],
  load: () => {},
});

describe("the files that belong to a check", () => {
  it("are found with one read of the configurations of all packages", () => {
    const files = Object.fromEntries([1, 2, 3].map((at) => [`packages/${at}/package.json`, "{}"]));
    const loads: (readonly string[])[] = [];
    filesNamedBy(["npm test"], { ...tree(files), load: (paths) => loads.push(paths) });
    expect(loads).toEqual([Object.keys(files)]);
  });

  it.each<[string, Readonly<Record<string, string>>, string, readonly string[]]>([
    ["a script of the shell", { "ci/all.sh": "echo" }, "sh ci/all.sh", ["ci/all.sh"]],
    ["one in quotes, from here", { "ci.sh": "echo" }, `bash "./ci.sh" --fast`, ["ci.sh"]],
    [
      "what a package script starts",
      { "package.json": '{"scripts":{"test":"node tools/run.js"}}', "tools/run.js": "" },
      "npm test",
      ["tools/run.js"],
    ],
    [
      "what a package script starts through others",
      {
        "package.json":
          '{"scripts":{"test":"npm run unit","unit":"run-s a","a":"node a.mjs","pretest":"./pre.sh"}}',
        "a.mjs": "",
        "pre.sh": "",
      },
      "npm test",
      ["a.mjs", "pre.sh"],
    ],
    [
      "what a script starts and imports",
      { "ci.sh": "node tools/a.js", "tools/a.js": 'import "./b.js"', "tools/b.js": "" },
      "./ci.sh",
      ["ci.sh", "tools/a.js", "tools/b.js"],
    ],
    ["a script behind a time limit", { "qa/x.js": "" }, "timeout 60 node qa/x.js", ["qa/x.js"]],
    [
      "files that are loaded before a script",
      { "a.js": "", "b.js": "" },
      "node -r ./a.js b.js",
      ["a.js", "b.js"],
    ],
    [
      "what an option of the environment loads",
      { "a.js": "" },
      "NODE_OPTIONS=--require=./a.js npm test",
      ["a.js"],
    ],
    ["a script in another folder", { "qa/x.js": "" }, "cd qa && node x.js", ["qa/x.js"]],
    ["the script of a folder", { "qa/index.js": "" }, "node qa", ["qa/index.js"]],
    [
      "scripts that a loop finds",
      { "ci.sh": "for s in ci/steps/*.sh; do sh $s; done", "ci/steps/a.sh": "" },
      "sh ci.sh",
      ["ci.sh", "ci/steps/a.sh"],
    ],
    [
      "a package below",
      { "qa/package.json": '{"scripts":{"test":"node x.js"}}', "qa/x.js": "" },
      "npm --prefix qa test",
      ["qa/x.js"],
    ],
    [
      "a recipe that is not named",
      { Makefile: "include rules.mk\ntest:\n\t./run.sh", "rules.mk": "", "run.sh": "" },
      "make test",
      ["Makefile", "rules.mk", "run.sh"],
    ],
    [
      "files that mocha loads",
      { ".mocharc.yml": "require:\n  - ./tools/hooks.js\n", "tools/hooks.js": "" },
      "npx mocha",
      ["tools/hooks.js"],
    ],
    [
      "files that jest loads",
      { "package.json": '{"jest":{"setupFilesAfterEnv":["<rootDir>/tools/env.js"]}}', "tools/env.js": "" },
      "npx jest",
      ["tools/env.js"],
    ],
    [
      "files that a script reads",
      { "tools/lint.js": 'read("rules.json"); read("../words.txt")', "rules.json": "", "words.txt": "" },
      "node tools/lint.js",
      ["tools/lint.js", "rules.json", "words.txt"],
    ],
    [
      "a module of Python",
      { "tools/check.py": "import tools.rules", "tools/rules.py": "" },
      "python -m tools.check",
      ["tools/check.py", "tools/rules.py"],
    ],
    [
      "the recipe of make",
      { Makefile: "test:\n\t./run.sh", "run.sh": "" },
      "make -f Makefile test",
      ["Makefile", "run.sh"],
    ],
    [
      "a script that a check starts, in a folder of the product",
      { "src/verify.mjs": 'import "./add.mjs"', "src/add.mjs": "" },
      "node src/verify.mjs",
      ["src/verify.mjs"],
    ],
    [
      "a script in a folder of the product that a package script starts",
      {
        "package.json": '{"main":"lib/add.js","scripts":{"test":"node lib/check.js"}}',
        ...{ "lib/check.js": 'require("./add.js")', "lib/add.js": "" },
      },
      "npm test",
      ["lib/check.js"],
    ],
    [
      "a module of the product that a check starts",
      { "app/check.py": "from app import add", "app/add.py": "" },
      "python3 -m app.check",
      ["app/check.py"],
    ],
  ])("include %s", (_name, files, command, expected) => {
    expect([...filesNamedBy([command], tree(files))].sort()).toEqual([...expected].sort());
  });

  it.each([
    ["grep -q 2 f.js"],
    ["node test/f.test.js"],
    ["node check.js"],
    ["test -e f.js && cat f.js"],
    ["prettier --check f.js src"],
  ])("exclude the input of `%s`", (command) => {
    const files = { "f.js": "", "test/f.test.js": 'require("../f.js")', "check.js": 'require("./f.js")' };
    expect(filesNamedBy([command], tree(files)).has("f.js")).toBe(false);
  });

  it.each(["node src/main.js --self-test", "python3 -m app", "node lib/index.js"])(
    "exclude the entry point of the product in `%s`",
    (command) => {
      const files = { "src/main.js": "", "app/__main__.py": "", "lib/index.js": "" };
      expect([...filesNamedBy([command], tree(files))]).toEqual([]);
    },
  );

  it("exclude the product", () => {
    const files = {
      "package.json":
        '{"main":"index.js","bin":{"x":"cli.js"},"scripts":{"test":"node cli.js src/a.js index.js"}}',
      ...{ "index.js": "", "cli.js": "", "src/a.js": "" },
    };
    expect([...filesNamedBy(["npm test"], tree(files))]).toEqual([]);
  });
});
