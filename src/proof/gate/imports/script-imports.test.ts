import { describe, expect, it } from "vitest";
import { scriptParser } from "../reading/parse-script.ts";
import { importsIn } from "./script-imports.ts";

const { parse } = await scriptParser();
const importsOf = (text: string, path = "a.ts") => {
  const result = parse(path, text);
  if ("fault" in result) throw new Error(result.fault.message);
  return importsIn(path, result.program).map(
    ({ specifier, kind, line, optional }) => `${line} ${kind} ${specifier}${optional ? "?" : ""}`,
  );
};

describe("what a script imports", () => {
  it.each([
    ['import "./a"', ["1 value ./a"]],
    ['import a from "./a"; a()', ["1 value ./a"]],
    ['import type A from "./a"', ["1 type ./a"]],
    ['import { type A, type B } from "./a"', ["1 type ./a"]],
    ['import { type A, b } from "./a"; b', ["1 value ./a"]],
    ['export * from "./a"\nexport { b } from "./b"', ["1 value ./a", "2 value ./b"]],
    [
      'export type * from "./a"; export type { B } from "./b"; export { type C } from "./c"',
      ["1 type ./a", "1 type ./b", "1 type ./c"],
    ],
    ['import a = require("./a"); export const b = 1', ["1 value ./a"]],
    ['import type a = require("./a"); export const b = 1', ["1 type ./a"]],
    ['const a = require("./a")', ["1 value ./a"]],
    ['function f() { return require("./a") }', ["1 lazy ./a"]],
    ["const f = () => { require(`./a`) }", ["1 lazy ./a"]],
    ['class A { m() { require("./a") } static b = require("./b") }', ["1 lazy ./a", "1 value ./b"]],
    ['[function (require) { require("./a") }]; require("./b")', ["1 value ./b"]],
    ['await import("./a")', ["1 lazy ./a"]],
    ['try { require("./a") } catch { require("./b") }', ["1 value ./a?", "1 value ./b"]],
    ['type A = import("./a").A', ["1 type ./a"]],
    ['require(a); import(b); require(`./${c}`); other.require("./d"); require()', []],
    ['export const a = "./a"', []],
  ])("%s", (text, expected) => {
    expect(importsOf(text)).toEqual(expected);
  });

  it.each([
    ['import { A } from "./a"; let b: A', "type"],
    ['import { A } from "./a"; let b: Map<string, A[]> = new Map<string, A[]>()', "type"],
    ['import { A } from "./a"; class B implements A {}', "type"],
    ['import { A } from "./a"; class B extends A {}', "value"],
    ['import { A } from "./a"; interface B extends A {}', "type"],
    ['import { A } from "./a"; let b = c as A; let d: typeof A', "type"],
    ['import { A } from "./a"; let b = A as unknown', "value"],
    ['import { A } from "./a"; let b = { A: 1 }; b.A', "type"],
    ['import { A } from "./a"; let b = { A }', "value"],
    ['import { A } from "./a"; b[A]', "value"],
    ['import { A } from "./a"; export { A }', "value"],
    ['import { A } from "./a"', "type"],
    ['import { A as B } from "./a"; new B()', "value"],
    ['import { A } from "./a"; class B { @c d: A }', "value"],
    ['import {} from "./a"', "value"],
  ])("omits the imports that TypeScript omits: %s", (text, kind) => {
    expect(importsOf(text)).toEqual([`1 ${kind} ./a`]);
  });

  it("omits nothing in JavaScript, and loads nothing for declarations", () => {
    expect(importsOf('import { A } from "./a"', "a.js")).toEqual(["1 value ./a"]);
    expect(importsOf('import { A } from "./a"; <A/>', "a.jsx")).toEqual(["1 value ./a"]);
    expect(importsOf('import { A } from "./a"; <A/>', "a.tsx")).toEqual(["1 value ./a"]);
    expect(importsOf('import { A } from "./a"; export class B extends A {}', "a.d.ts")).toEqual([
      "1 type ./a",
    ]);
  });
});
