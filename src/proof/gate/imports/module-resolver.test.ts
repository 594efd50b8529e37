import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Files, treeOf } from "../source-tree.test-support.ts";
import { ModuleResolver } from "./module-resolver.ts";

const json = JSON.stringify;
const resolved = (files: Files, specifier: string, from: string, installed: readonly string[] = []) => {
  const resolver = new ModuleResolver(treeOf(files), { hasPackage: (name) => installed.includes(name) });
  const found = resolver.resolve(specifier, from);
  return found.kind === "file" ? found.path : found.kind === "missing" ? `missing: ${found.why}` : found.kind;
};

describe("a relative import", () => {
  const files = {
    "src/a.ts": "",
    "src/b.tsx": "",
    "src/c.mts": "",
    "src/d.d.ts": "",
    "src/e/index.ts": "",
    "src/f.json": "",
    "src/g.svg": "",
    "src/h.native.tsx": "",
    "src/price.test.ts": "",
    "src/i/package.json": json({ main: "./lib/main" }),
    "src/i/lib/main.js": "",
    "src/..j.ts": "",
    "index.ts": "",
    ".gitignore": "# built\ndist/\n*.gen.ts\n!kept.gen.ts\n/build\n",
  };
  it.each([
    ["./a", "src/a.ts"],
    ["./a.ts", "src/a.ts"],
    ["./a.js", "src/a.ts"],
    ["./b.js", "src/b.tsx"],
    ["./b.jsx", "src/b.tsx"],
    ["./c.mjs", "src/c.mts"],
    ["./d", "src/d.d.ts"],
    ["./e", "src/e/index.ts"],
    ["./e/", "src/e/index.ts"],
    ["./e/index.js", "src/e/index.ts"],
    ["./f.json", "src/f.json"],
    ["./g.svg", "src/g.svg"],
    ["./g.svg?url", "src/g.svg"],
    ["./h", "src/h.native.tsx"],
    ["./i", "src/i/lib/main.js"],
    ["./..j", "src/..j.ts"],
    ["..", "index.ts"],
    ["../", "index.ts"],
    ["./e/../a", "src/a.ts"],
    ["./A", "missing: there is no `src/A`"],
    ["./price", "missing: there is no `src/price`"],
    ["./a/b", "missing: there is no `src/a/b`"],
    ["./a/", "missing: there is no `src/a`"],
    ["./g", "missing: there is no `src/g`"],
    [".", "missing: there is no `src`"],
    ["../dist/main.js", "unknown"],
    ["./schema.gen", "unknown"],
    ["./kept.gen", "missing: there is no `src/kept.gen`"],
    ["../build/x", "unknown"],
    ["./build/x", "missing: there is no `src/build/x`"],
    ["../../outside", "unknown"],
    ["./+types/x", "unknown"],
    ["./$types", "unknown"],
  ])("%s", (specifier, expected) => {
    expect(resolved(files, specifier, "src/x.ts")).toBe(expected);
  });
});

describe("an alias", () => {
  const files = {
    "tsconfig.base.json": json({ compilerOptions: { paths: { "@lib/*": ["./libs/*/src/index.ts"] } } }),
    "tsconfig.json": `{ "extends": "./tsconfig.base", // shared\n "references": [], }`,
    "libs/core/src/index.ts": "",
    "app/tsconfig.json": json({ files: [], references: [{ path: "./tsconfig.app.json" }] }),
    "app/tsconfig.app.json": json({
      compilerOptions: {
        baseUrl: "./src",
        paths: { "@/*": ["*"], "@/deep/*": ["./ui/*"], exact: ["./exact/it.ts"], "@gen/*": ["../gen/*"] },
      },
    }),
    "app/src/ui/button.tsx": "",
    "app/src/deep/button.ts": "",
    "app/src/exact/it.ts": "",
    "app/.gitignore": "gen",
    "app/package.json": json({ name: "app" }),
    "web/package.json": json({ name: "web" }),
    "web/src/ui/card.js": "",
  };
  it.each([
    ["@/ui/button", "app/src/main.ts", "app/src/ui/button.tsx"],
    ["@/deep/button", "app/src/main.ts", "app/src/ui/button.tsx"],
    ["exact", "app/src/main.ts", "app/src/exact/it.ts"],
    ["ui/button", "app/src/main.ts", "app/src/ui/button.tsx"],
    ["@lib/core", "app/src/main.ts", "libs/core/src/index.ts"],
    ["@lib/gone", "app/src/main.ts", "missing: no path that tsconfig gives it has a file"],
    ["@/ui/gone", "app/src/main.ts", "missing: no path that tsconfig gives it has a file"],
    ["@gen/client", "app/src/main.ts", "unknown"],
    ["@/ui/card", "web/src/main.js", "web/src/ui/card.js"],
    ["ui/card", "web/src/main.js", "web/src/ui/card.js"],
    ["@/ui/gone", "web/src/main.js", "unknown"],
    ["~/ui/gone", "web/src/main.js", "unknown"],
    ["$lib/gone", "web/src/main.js", "unknown"],
  ])("%s in %s", (specifier, from, expected) => {
    expect(resolved(files, specifier, from)).toBe(expected);
  });
});

describe("a package", () => {
  const files = {
    "package.json": json({
      dependencies: { zod: "4" },
      devDependencies: { "@types/vscode": "1", "@types/a__b": "1" },
    }),
    "packages/own/package.json": json({
      name: "@x/own",
      dependencies: { leftpad: "1" },
      imports: {
        "#db": "./src/db.ts",
        "#ab*ba": "./src/db.ts",
        "#lib/*": { types: "./types/*.d.ts", default: "./src/lib/*.ts" },
        "#pad": "leftpad",
        "#built": "./dist/x.js",
      },
      exports: {
        ".": "./src/index.ts",
        "./part/*": "./src/part/*.ts",
        "./gone": "./src/gone.ts",
        "./out": "./dist/out.js",
      },
    }),
    "packages/own/src/db.ts": "",
    "packages/own/src/lib/a.ts": "",
    "packages/own/src/index.ts": "",
    "packages/own/src/part/a.ts": "",
    "packages/old/package.json": json({ name: "old", main: "dist/main.js", types: "src/types.ts" }),
    "packages/old/src/types.ts": "",
    "packages/old/extra.js": "",
    "packages/string/package.json": json({ name: "string", exports: "./main.mjs" }),
    "packages/string/main.mjs": "",
    "types/more.d.ts": 'declare module "ambient";\ndeclare module "*.wasm" {}\n',
    ".gitignore": "dist",
  };
  const own = "packages/own/src/x.ts";
  it.each([
    ["fs", own, "provided"],
    ["fs/promises", own, "provided"],
    ["node:fs", own, "provided"],
    ["node:test", own, "provided"],
    ["node:nothing", own, "missing: Node has no `node:nothing`"],
    ["bun:test", own, "unknown"],
    ["https://esm.sh/x", own, "unknown"],
    ["virtual:pwa", own, "unknown"],
    ["raw-loader!./a", own, "unknown"],
    ["zod", own, "provided"],
    ["zod/v4", own, "provided"],
    ["leftpad", own, "provided"],
    ["leftpad", "packages/old/extra.js", "missing: no package.json names `leftpad`, and it is not installed"],
    ["vscode", own, "provided"],
    ["@a/b", own, "provided"],
    ["installed", own, "provided"],
    ["@scope/installed/sub", own, "provided"],
    ["ambient", own, "unknown"],
    ["x.wasm", own, "unknown"],
    ["nowhere", own, "missing: no package.json names `nowhere`, and it is not installed"],
    ["@x/nowhere/sub", own, "missing: no package.json names `@x/nowhere`, and it is not installed"],
    ["#db", own, "packages/own/src/db.ts"],
    ["#abxba", own, "packages/own/src/db.ts"],
    ["#aba", own, "missing: `imports` of packages/own/package.json has no such key"],
    ["#lib/a", own, "packages/own/src/lib/a.ts"],
    ["#pad", own, "provided"],
    ["#built", own, "provided"],
    ["#lib/gone", own, "missing: packages/own/package.json leads it to no file"],
    ["#gone", own, "missing: `imports` of packages/own/package.json has no such key"],
    ["#gone", "packages/old/extra.js", "unknown"],
    ["@x/own", own, "packages/own/src/index.ts"],
    ["@x/own/part/a", own, "packages/own/src/part/a.ts"],
    ["@x/own/out", own, "provided"],
    ["@x/own/gone", own, "missing: packages/own/package.json leads it to no file"],
    ["@x/own/other", own, "missing: `exports` of packages/own/package.json has no `./other`"],
    ["@x/own/part/a", "packages/old/extra.js", "packages/own/src/part/a.ts"],
    ["@x/own/out", "packages/old/extra.js", "provided"],
    ["old", own, "packages/old/src/types.ts"],
    ["old/extra", own, "packages/old/extra.js"],
    ["old/dist/deep", own, "provided"],
    ["string", own, "packages/string/main.mjs"],
  ])("%s in %s", (specifier, from, expected) => {
    expect(resolved(files, specifier, from, ["installed", "@scope/installed"])).toBe(expected);
  });

  it("is not judged if no package.json applies", () => {
    expect(resolved({}, "react", "a.js")).toBe("unknown");
  });
});

describe("any import", () => {
  it("gets the same answer in any order of questions", () => {
    const folder = fc.constantFrom("", "p/", "p/src/", "p/src/in/", "q/", "q/in/");
    const name = fc.constantFrom("./a", "../a", ".", "a", "x", "@/a", "#a", "p", "src/a");
    const files = Object.fromEntries([
      ...["a.ts", "p/a.ts", "p/src/a.ts", "p/src/in/a.ts", "q/in/a.ts"].map((path) => [path, ""]),
      ["package.json", "{}"],
      [
        "p/package.json",
        json({ name: "p", main: "a.ts", dependencies: { x: "1" }, imports: { "#a": "./a.ts" } }),
      ],
      ["p/src/tsconfig.json", json({ compilerOptions: { paths: { "@/*": ["./*"] } } })],
      ["q/tsconfig.json", json({ compilerOptions: { baseUrl: "in" } })],
    ]);
    const installed = { hasPackage: () => false };
    fc.assert(
      fc.property(fc.array(fc.tuple(name, folder), { minLength: 2 }), (asked) => {
        const resolver = new ModuleResolver(treeOf(files), installed);
        for (const [specifier, from] of asked)
          expect(resolver.resolve(specifier, `${from}z.ts`)).toEqual(
            new ModuleResolver(treeOf(files), installed).resolve(specifier, `${from}z.ts`),
          );
      }),
    );
  });

  it("gets an answer, and only files of the tree", () => {
    const segment = fc.constantFrom("a", "b", "..", ".", "index", "a.js", "a.ts", "", "*", "@x", "#a", "?b");
    const specifier = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"));
    const path = fc
      .array(fc.constantFrom("a", "b", "src"), { maxLength: 2 })
      .map((parts) => [...parts, "a.ts"].join("/"));
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1 }), specifier, (paths, wanted) => {
        const files = Object.fromEntries(paths.map((one) => [one, ""]));
        const found = resolved(files, wanted, paths[0] as string);
        if (!/^(?:missing|unknown|provided)/.test(found)) expect(paths).toContain(found);
      }),
      { numRuns: 1000 },
    );
  });
});
