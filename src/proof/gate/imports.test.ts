import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkImports } from "./imports.ts";
import { type Files, mergeOf, treeOf } from "./source-tree.test-support.ts";

type Edits = Record<string, string | null>;
const nothing = { hasPackage: () => false };
const findingsOf = async (base: Files, edits: Edits) => {
  const { findings } = await checkImports(mergeOf(base, edits), nothing);
  return findings.map(({ path, line, message }) => `${path}:${line} ${message}`);
};
const leads = (name: string, why: string) => `imports \`${name}\`, which cannot be resolved: ${why}`;
const packageFile = (dependencies: Record<string, string>, more = {}) =>
  JSON.stringify({ dependencies, ...more });

describe("a broken import", () => {
  it.each<[string, Files, Edits, string[]]>([
    ["that is sound", { "a.ts": "" }, { "b.ts": 'import "./a"' }, []],
    ["in a new file", {}, { "b.ts": '\nimport "./a"' }, [`b.ts:2 ${leads("./a", "there is no `a`")}`]],
    [
      "in a changed file",
      { "b.ts": "" },
      { "b.ts": 'export * from "./a"' },
      [`b.ts:1 ${leads("./a", "there is no `a`")}`],
    ],
    [
      "of a type",
      {},
      { "b.ts": 'import type { A } from "./a"' },
      [`b.ts:1 ${leads("./a", "there is no `a`")}`],
    ],
    [
      "at run time",
      {},
      { "b.js": 'const a = () => import("./a")' },
      [`b.js:1 ${leads("./a", "there is no `a`")}`],
    ],
    ["that may fail", {}, { "b.js": 'try { require("./a") } catch {}' }, []],
    [
      "of a file that is not a module",
      {},
      { "b.ts": 'import "./a.css"' },
      [`b.ts:1 ${leads("./a.css", "there is no `a.css`")}`],
    ],
    ["that was broken before", { "b.ts": 'import "./a"' }, { "b.ts": 'import "./a"; 1' }, []],
    ["in a file that nothing changed", { "b.ts": 'import "./a"', "c.ts": "" }, { "c.ts": "1" }, []],
    [
      "of a deleted file, in an unchanged file",
      { "src/a.ts": "", "src/b.ts": 'import "./a"' },
      { "src/a.ts": null },
      [`src/b.ts:1 ${leads("./a", "`src/a.ts` was removed by this change")}`],
    ],
    [
      "of a file that moved with its importer",
      { "a.ts": "", "b.ts": 'import "./a"' },
      { "a.ts": null, "c.ts": "", "b.ts": 'import "./c"' },
      [],
    ],
    [
      "of a module that was renamed, in files that did not change and write its name in other ways",
      {
        "package.json": "{}",
        "src/a.ts": "",
        "src/b.ts": 'import "./\\x61"',
        "src/c.js": 'import(\n// late\n"./a.js")',
        "d.ts": "export * from'src/a'",
        "far.ts": 'import "./src/other"',
        "src/other.ts": "",
      },
      { "src/a.ts": null, "src/z.ts": "" },
      [
        `src/b.ts:1 ${leads("./a", "`src/a.ts` was removed by this change")}`,
        `src/c.js:1 ${leads("./a.js", "`src/a.ts` was removed by this change")}`,
        `d.ts:1 ${leads("src/a", "`src/a.ts` was removed by this change")}`,
      ],
    ],
    [
      "of a file that became a folder",
      { "a.ts": "", "b.ts": 'import "./a"' },
      { "a.ts": null, "a/index.ts": "" },
      [],
    ],
    [
      "of a missing package",
      { "package.json": packageFile({}) },
      { "b.ts": 'import "x/y"' },
      [`b.ts:1 ${leads("x/y", "no package.json names `x`, and it is not installed")}`],
    ],
    [
      "of a package that is declared",
      { "package.json": packageFile({ x: "1" }) },
      { "b.ts": 'import "x/y"' },
      [],
    ],
    [
      "of a package that other files miss too",
      { "package.json": packageFile({}), "a.ts": 'import "x/z"' },
      { "b.ts": 'import "x/y"' },
      [],
    ],
    [
      "of a package that is no longer declared",
      { "package.json": packageFile({ x: "1" }), "b.ts": 'import "x"' },
      { "package.json": packageFile({}) },
      [`b.ts:1 ${leads("x", "no package.json names `x`, and it is not installed")}`],
    ],
    [
      "of a deleted file of a workspace",
      {
        "p/package.json": packageFile({}, { name: "p" }),
        "p/x.ts": "",
        "package.json": packageFile({}),
        "b.ts": 'import "p/x"',
      },
      { "p/x.ts": null },
      [`b.ts:1 ${leads("p/x", "`p/x.ts` was removed by this change")}`],
    ],
    [
      "through a key that the package no longer has",
      { "package.json": '{"imports":{"#a":"./a.ts"}}', "a.ts": "", "src/b.ts": 'import "#a"' },
      { "package.json": '{"imports":{"#b":"./a.ts"}}' },
      [`src/b.ts:1 ${leads("#a", "`imports` of package.json has no such key")}`],
    ],
    [
      "of a module that nothing declares any more",
      { "package.json": "{}", "types.d.ts": 'declare module "x"', "b.ts": 'import "x"' },
      { "types.d.ts": null },
      [`b.ts:1 ${leads("x", "no package.json names `x`, and it is not installed")}`],
    ],
    [
      "through a removed path alias",
      {
        "tsconfig.json": '{"compilerOptions":{"paths":{"@/*":["./lib/*"]}}}',
        "lib/a.ts": "",
        "b.ts": 'import "@/a"',
      },
      { "tsconfig.json": '{"compilerOptions":{"paths":{"@/*":["./libs/*"]}}}' },
      [`b.ts:1 ${leads("@/a", "no path that tsconfig gives it has a file")}`],
    ],
  ])("%s", async (_, base, edits, expected) => {
    expect(await findingsOf(base, edits)).toEqual(expected);
  });

  it("is routed to the task that deleted the file and the task that imports it", async () => {
    const merge = mergeOf(
      { "a.ts": "", "c.ts": 'import "./a"' },
      { "a.ts": null, "b.ts": 'import "./a"' },
      { "a.ts": "T-1", "b.ts": "T-2" },
    );
    const { findings, route } = await checkImports(merge, nothing);
    expect(route).toBe("origin");
    expect(findings.map(({ path, tasks }) => [path, tasks])).toEqual([
      ["c.ts", ["T-1"]],
      ["b.ts", ["T-1", "T-2"]],
    ]);
  });

  it("is routed to the task that removed the dependency", async () => {
    const merge = mergeOf(
      { "package.json": packageFile({ x: "1" }), "b.ts": 'import "x"' },
      { "package.json": "{}" },
      { "package.json": "T-1" },
    );
    expect((await checkImports(merge, nothing)).findings[0]?.tasks).toEqual(["T-1"]);
  });

  it("is not reported if the package is installed", async () => {
    const merge = mergeOf({ "package.json": "{}" }, { "b.ts": 'import "x"' });
    expect((await checkImports(merge, { hasPackage: (name) => name === "x" })).result).toBe("pass");
  });
});

describe("a circle", () => {
  it.each<[string, Files, Edits, string[]]>([
    [
      "of two",
      { "a.ts": 'import "./b"', "b.ts": "" },
      { "b.ts": '1\nimport "./a"' },
      ["b.ts:2 closes an import cycle: b.ts → a.ts → b.ts"],
    ],
    ["of one", {}, { "a.ts": 'import "./a"' }, ["a.ts:1 closes an import cycle: a.ts → a.ts"]],
    [
      "of three new files",
      {},
      { "a.ts": 'import "./b"', "b.ts": 'import "./c"', "c.ts": 'import "./a"' },
      ["a.ts:1 closes an import cycle: a.ts → b.ts → c.ts → a.ts"],
    ],
    [
      "through files that did not change",
      { "a.ts": "", "b.ts": 'import "./c"', "c.ts": 'import "./d"', "d.ts": 'import "./a"' },
      { "a.ts": 'import "./b"' },
      ["a.ts:1 closes an import cycle: a.ts → b.ts → c.ts → d.ts → a.ts"],
    ],
    [
      "of nothing but names that look like imports",
      {
        "a.ts": "",
        "b.ts": 'import { t } from "./t"; t("./a")',
        "t.ts": "export const t = (of: string) => of;",
      },
      { "a.ts": 'import "./b"' },
      [],
    ],
    [
      "that was there before",
      { "a.ts": 'import "./b"', "b.ts": 'import "./a"' },
      { "b.ts": 'import "./a"; 1' },
      [],
    ],
    [
      "that grew",
      { "a.ts": 'import "./b"', "b.ts": 'import "./a"', "c.ts": "" },
      { "b.ts": 'import "./a"; import "./c"', "c.ts": 'import "./a"' },
      ["b.ts:1 closes an import cycle: b.ts → c.ts → a.ts → b.ts"],
    ],
    ["of types", { "a.ts": 'import "./b"', "b.ts": "" }, { "b.ts": 'import type { A } from "./a"' }, []],
    [
      "of names used as types",
      { "a.ts": 'import "./b"', "b.ts": "" },
      { "b.ts": 'import { A } from "./a"; let b: A' },
      [],
    ],
    [
      "that was of types and is of values now",
      { "a.ts": 'import "./b"', "b.ts": 'import type { A } from "./a"' },
      { "b.ts": 'import { A } from "./a"; A()' },
      ["b.ts:1 closes an import cycle: b.ts → a.ts → b.ts"],
    ],
    [
      "cut by a call",
      { "a.ts": 'import "./b"', "b.ts": "" },
      { "b.ts": 'const f = () => import("./a")' },
      [],
    ],
    [
      "of required modules",
      { "a.js": 'require("./b")', "b.js": "" },
      { "b.js": 'require("./a")' },
      ["b.js:1 closes an import cycle: b.js → a.js → b.js"],
    ],
    [
      "cut by a late require",
      { "a.js": 'require("./b")', "b.js": "" },
      { "b.js": '() => require("./a")' },
      [],
    ],
    [
      "because a new file is found first",
      { "a.ts": 'import "./lib"', "lib/index.ts": "" },
      { "lib.ts": 'import "./a"' },
      ["lib.ts:1 closes an import cycle: lib.ts → a.ts → lib.ts"],
    ],
    [
      "because the file that was found first is deleted",
      { "a.ts": 'import "./lib"', "lib.ts": "", "lib/index.ts": 'import "../a"' },
      { "lib.ts": null },
      ["a.ts:1 closes an import cycle: a.ts → lib/index.ts → a.ts"],
    ],
    [
      "because a new file resolves existing imports",
      { "a.ts": 'import "./b"' },
      { "b.ts": 'import "./a"' },
      ["b.ts:1 closes an import cycle: b.ts → a.ts → b.ts"],
    ],
    [
      "because a package begins elsewhere now",
      {
        "p/package.json": '{"name":"p","main":"i.ts"}',
        "p/i.ts": "",
        "p/j.ts": 'import "../a"',
        "a.ts": 'import "p"',
      },
      { "p/package.json": '{"name":"p","main":"j.ts"}' },
      ["a.ts:1 closes an import cycle: a.ts → p/j.ts → a.ts"],
    ],
    ["through a JSON file", {}, { "a.ts": 'import "./b.json"', "b.json": "{}" }, []],
    [
      "through packages of the workspace",
      {
        "p/package.json": '{"name":"p","main":"i.ts"}',
        "p/i.ts": "",
        "q/package.json": '{"name":"q","main":"i.ts"}',
        "q/i.ts": 'import "p"',
      },
      { "p/i.ts": 'import "q"' },
      ["p/i.ts:1 closes an import cycle: p/i.ts → q/i.ts → p/i.ts"],
    ],
  ])("%s", async (_, base, edits, expected) => {
    expect(await findingsOf(base, edits)).toEqual(expected);
  });

  it("fails exactly if the base did not have it", async () => {
    const names = ["a", "b", "c", "d"] as const;
    const graph = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(graph, graph, async (before, after) => {
        const files = (pairs: typeof before) =>
          Object.fromEntries(
            names.map((name) => [
              `${name}.ts`,
              pairs
                .filter(([from]) => from === name)
                .map(([, to]) => `import "./${to}";`)
                .join(""),
            ]),
          );
        const [old, now] = [files(before), files(after)];
        const edits = Object.fromEntries(Object.entries(now).filter(([path, text]) => old[path] !== text));
        const known = new Set(simpleCircles(before));
        const isNew = simpleCircles(after).some((circle) => !known.has(circle));
        const { result } = await checkImports(mergeOf(old, edits), nothing);
        const clean = Object.keys(edits).length > 0 ? "pass" : "skipped";
        expect(result).toBe(isNew ? "fail" : clean);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the imports check", () => {
  it("reports what it followed, what was broken before and what it cannot judge", async () => {
    const base = {
      "a.ts": 'import "./gone"; import "./b"',
      "b.ts": 'import "./a"',
      "c.ts": 'import "./a"; (',
    };
    const merge = mergeOf(base, { "a.ts": `${base["a.ts"]}; import "virtual:x"; import "./c"` });
    const { result, note } = await checkImports(merge, nothing);
    expect(result).toBe("pass");
    expect(note).toBe(
      "imports of 2 files followed; broken before: 1 import (a.ts:1); circular before: 1 group (a.ts); " +
        "not checked: 1 name (virtual:x) (not defined in the tree); not checked: 1 file (c.ts) (does not parse)",
    );
  });

  it.each<[string, Edits, string]>([
    ["skipped", { "b.py": "x" }, "not checked: .py (1) (neither JS nor TS; set gate.imports)"],
    ["skipped", { "old.py": null }, "no changed file to check"],
    ["skipped", { "package.json": '{"name":"a"}' }, "no changed file to check"],
    ["skipped", { "b.ts": "import (" }, "not checked: 1 file (b.ts) (does not parse)"],
    [
      "pass",
      { "b.py": "x", "b.ts": "1" },
      "imports of 1 file followed; not checked: .py (1) (neither JS nor TS; set gate.imports)",
    ],
  ])("is %s for %j", async (expected, edits, part) => {
    const { result, note } = await checkImports(mergeOf({ "old.py": "" }, edits), nothing);
    expect(result).toBe(expected);
    expect(note).toContain(part);
  });

  it("reads only what the changed files import, unless something was removed", async () => {
    const read = async (edits: Edits) => {
      const merge = mergeOf({ "a.ts": 'import "./b"', "b.ts": "", "far.ts": "" }, edits);
      const texts: string[] = [];
      const text = (path: string) => {
        texts.push(path);
        return merge.result.text(path);
      };
      const result = { ...merge.result, text };
      await checkImports({ ...merge, base: treeOf({}), result }, nothing);
      return texts.filter((path) => path.endsWith(".ts"));
    };
    expect(await read({ "a.ts": 'import "./b"; 1' })).toEqual(["a.ts", "b.ts"]);
    expect(await read({ "b.ts": null })).toEqual(["a.ts", "far.ts"]);
  });

  it.each<[string, Files, Edits, string[]]>([
    ["nothing", { "package.json": "{}" }, { "package.json": '{"version":"2","dependencies":{"x":"1"}}' }, []],
    ["nothing", { "tsconfig.json": "{}" }, { "tsconfig.json": '{"compilerOptions":{"strict":true}}' }, []],
    ["the changed file", {}, { "a.ts": 'import "./b"; 1' }, ["a.ts"]],
    ["what a new import leads to", {}, { "c.ts": 'import "./b"' }, ["c.ts", "b.ts"]],
    [
      "all",
      { "package.json": '{"dependencies":{"x":"1"}}' },
      { "package.json": "{}" },
      ["a.ts", "b.ts", "far.ts"],
    ],
  ])("reads %s for %j and %j", async (_, more, edits, expected) => {
    const merge = mergeOf({ "a.ts": 'import "./b"', "b.ts": "", "far.ts": "", ...more }, edits);
    const texts = new Set<string>();
    const text = (path: string) => {
      texts.add(path);
      return merge.result.text(path);
    };
    await checkImports({ ...merge, result: { ...merge.result, text } }, nothing);
    expect([...texts].filter((path) => path.endsWith(".ts"))).toEqual(expected);
  });
});

/** Every circle without a repeated node, written from its smallest node. */
function simpleCircles(pairs: readonly (readonly [string, string])[]): string[] {
  const found = new Set<string>();
  const follow = (way: readonly string[]) => {
    for (const [from, to] of pairs) {
      if (from !== way.at(-1)) continue;
      if (to === way[0]) found.add(way.join());
      else if (to > (way[0] as string) && !way.includes(to)) follow([...way, to]);
    }
  };
  for (const [from] of pairs) follow([from]);
  return [...found];
}
