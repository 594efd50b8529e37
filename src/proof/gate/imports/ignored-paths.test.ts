import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { SourceTree } from "../source-tree.ts";
import { IgnoredPaths } from "./ignored-paths.ts";

const paths = [
  ..."build/a.js src/build/a.js a.log src/a.log src/keep.log A.LOG dist/x/y.ts a/b a/x/b a/x/y/b #x !x".split(
    " ",
  ),
  ..."a.js b.js c.ts x.gen.ts src/x.gen.ts foo/bar/baz.ts foo/baz.ts doc/frotz/a a/doc/frotz/a [ab].js".split(
    " ",
  ),
  "src/[id].ts",
];

function ignoredByGit(text: string): readonly string[] {
  using folder = temporaryFolder({ ".gitignore": text });
  spawnSync("git", ["init", "-q"], { cwd: folder.path });
  const { stdout } = spawnSync("git", ["check-ignore", "--no-index", "--stdin", "-z"], {
    ...{ cwd: folder.path, input: paths.join("\0"), encoding: "utf8" },
  });
  return stdout.split("\0").filter((path) => path !== "");
}

describe("`.gitignore` excludes the same paths as in git", () => {
  it.each([
    "*.log\n!keep.log",
    "/build",
    "build",
    "build/",
    "dist/*\n!dist/x",
    "a/**/b",
    "a/**",
    "\\#x",
    "\\!x",
    "*.{js,ts}",
    "[ab].js",
    "[!a].js",
    "src/\\[id\\].ts",
    "**/*.gen.ts",
    "foo/*",
    "foo/**/baz.ts",
    "doc/frotz/",
    "*.[jt]s",
    "/*\n!/src",
    "src/*\n!src/a.log",
    "build/**",
    "# a comment\n\na.js ",
  ])("%j", (text) => {
    const tree: Partial<SourceTree> = {
      paths: () => [".gitignore"],
      load: () => {},
      text: (path) => (path === ".gitignore" ? `${text}\n` : undefined),
    };
    const ignored = new IgnoredPaths(tree as SourceTree);
    expect(paths.filter((path) => ignored.has(path))).toEqual(ignoredByGit(`${text}\n`));
  });
});
