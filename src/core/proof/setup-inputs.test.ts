import { describe, expect, it } from "vitest";
import { detectSetup } from "./detect-setup.ts";
import { hasInstallScript, setupInputs } from "./setup-inputs.ts";

type Files = Readonly<Record<string, string>>;

function inputsOf(files: Files, commands = detectSetup(topOf(files)).commands) {
  return setupInputs(commands, { ...topOf(files), paths: () => Object.keys(files), load: () => {} });
}

function topOf(files: Files) {
  return { has: (name: string) => Object.hasOwn(files, name), text: (name: string) => files[name] };
}

const npm = { "package-lock.json": '{ "lockfileVersion": 3 }', "package.json": "{}", "src/a.js": "" };
const manifest = (fields: object) => JSON.stringify(fields);

describe("a setup", () => {
  it.each<[string, Record<string, string>, readonly string[]]>([
    ["npm", npm, ["package-lock.json", "package.json"]],
    [
      "npm with workspaces and settings",
      {
        ...npm,
        "package.json": manifest({
          workspaces: ["packages/*"],
          scripts: { test: "x", build: "y", "install:all": "z" },
          dependencies: { a: "~1.2.3", b: "npm:c@^1", d: "github:e/f#1", g: "workspace:*", h: "*" },
          main: "./index.js",
        }),
        "packages/a/package.json": manifest({ bin: "./bin.js" }),
        ".npmrc":
          "# ours\nregistry=https://registry.example\n//registry.example/:_authToken=${T}\nsave-exact=true\n",
        ".puppeteerrc.cjs": "",
        ".github/workflows/a.yml": "",
        "prisma/schema.prisma": "",
      },
      ["package-lock.json", "package.json", "packages/a/package.json", ".npmrc"],
    ],
    [
      "cargo",
      { "Cargo.lock": "", "Cargo.toml": "", "a/Cargo.toml": "", "build.rs": "" },
      ["Cargo.lock", "Cargo.toml", "a/Cargo.toml"],
    ],
    [
      "two languages",
      { ...npm, "go.sum": "", "go.mod": "" },
      ["package-lock.json", "package.json", "go.sum", "go.mod"],
    ],
  ])("that runs no code of the tree depends on a few files: %s", (_name, files, inputs) => {
    expect(inputsOf(files)).toEqual({ paths: inputs, unlessScripts: false });
  });

  const unlocked = { "package.json": '{"dependencies":{"a":"1"}}', "src/a.js": "" };
  it.each<[string, Record<string, string>, string | undefined, boolean]>([
    ["without a lock file", unlocked, undefined, true],
    [
      "whose lock file does not list scripts",
      { ...npm, "package-lock.json": '{ "lockfileVersion": 1 }' },
      undefined,
      true,
    ],
    [
      "with a package that has an install script",
      { ...npm, "package-lock.json": '{ "lockfileVersion": 3, "hasInstallScript": true }' },
      undefined,
      true,
    ],
    ["configured", npm, "npm install", false],
    ["configured, without a lock file", unlocked, "npm i --no-audit", true],
    ["configured without scripts", unlocked, "npm install --ignore-scripts", false],
  ])("of npm depends on a few files if no package runs a script", (_name, files, line, unlessScripts) => {
    const inputs = inputsOf(files, line === undefined ? undefined : [line.split(" ")]);
    const paths = Object.keys(files).filter((path) => path.startsWith("package"));
    expect(inputs).toEqual({ paths, unlessScripts });
  });

  it("of npm leaves a list of the packages with scripts", () => {
    expect(hasInstallScript('{"packages":{"node_modules/a":{"hasInstallScript": true}}}')).toBe(true);
    expect(hasInstallScript('{"packages":{"node_modules/a":{"hasInstallScript" :true}}}')).toBe(true);
    expect(hasInstallScript("{")).toBe(true);
    expect(hasInstallScript('{"packages":{"node_modules/a":{"version":"1.0.0"}}}')).toBe(false);
  });

  it.each([
    "npm install --prefix web",
    "npm run build",
    "npm ci x",
    "make",
    "sh -c 'npm ci'",
    "pip install x",
  ])("that is configured as `%s` depends on the whole tree", (line) => {
    expect(inputsOf(npm, [line.split(" ")])).toBeUndefined();
  });

  const scripts = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  const packages = (fields: object) => ({ ...npm, "packages/a/package.json": manifest(fields) });
  it.each<[string, Record<string, string>]>([
    ...[...scripts, "prepublish", "dependencies", "pnpm:devPreinstall"].map(
      (name): [string, Record<string, string>] => [name, packages({ scripts: { [name]: "node x.js" } })],
    ),
    ...[
      "file:../a",
      "link:./a",
      "portal:a",
      "../a",
      "./a.tgz",
      "/a",
      "~/a",
      "git+file:///a",
      "patch:a@1#x",
    ].map((spec): [string, Record<string, string>] => [spec, packages({ devDependencies: { a: spec } })]),
    ["an override", packages({ overrides: { a: { b: "file:x" } } })],
    ["a patch", packages({ pnpm: { patchedDependencies: { a: "fixes/a.patch" } } })],
    ["a manifest that does not parse", { ...npm, "packages/a/package.json": "{" }],
    ["an invalid manifest", { ...npm, "packages/a/package.json": "null" }],
    ["a native module", { ...npm, "packages/a/binding.gyp": "" }],
    ["pnpm's own file", { ...npm, ".pnpmfile.cjs": "" }],
    ["tracked packages", { ...npm, "node_modules/a/index.js": "" }],
    ["a shell of the tree", { ...npm, ".npmrc": "fund=false\nscript-shell=./x\n" }],
    ["a shell of the tree after blanks", { ...npm, ".npmrc": "  script-shell=./x\n" }],
    ...["file:lib/a.tgz", "lib/a.tgz", "git+file:///a"].map((resolved): [string, Record<string, string>] => [
      `a lock file with ${resolved}`,
      {
        ...npm,
        "package-lock.json": manifest({ lockfileVersion: 3, packages: { "node_modules/a": { resolved } } }),
      },
    ]),
    [
      "a lock file of the first version with a file of the tree",
      { ...npm, "package-lock.json": manifest({ dependencies: { a: { version: "file:a.tgz" } } }) },
    ],
    ["a lock file that does not parse", { ...npm, "package-lock.json": "{" }],
    ["an option for Node", { ...npm, ".npmrc": "node-options = --import=./x.js\n" }],
    ["a plugin of yarn", { ...npm, ".yarnrc.yml": "plugins:\n  - path: .yarn/plugins/x.cjs\n" }],
    ["another yarn", { ...npm, ".yarnrc.yml": "yarnPath: tools/yarn.cjs\n" }],
    ["an override of pnpm's", { ...npm, "pnpm-workspace.yaml": "overrides:\n  a: link:../a\n" }],
    ["pnpm, whose lock file does not list scripts", { "pnpm-lock.yaml": "", "package.json": "{}" }],
    ["yarn, whose lock file does not list scripts", { "yarn.lock": "", "package.json": "{}" }],
    ["uv", { "uv.lock": "", "pyproject.toml": "" }],
    ["Ruby", { "Gemfile.lock": "" }],
    ["PHP", { "composer.lock": "" }],
    ["cargo with settings", { "Cargo.lock": "", ".cargo/config.toml": "" }],
    ["one language of two", { ...npm, "uv.lock": "" }],
  ])("that may run code of the tree (%s) depends on the whole tree", (_name, files) => {
    expect(inputsOf(files)).toBeUndefined();
  });
});
