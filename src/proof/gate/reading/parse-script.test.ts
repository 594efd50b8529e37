import { describe, expect, it } from "vitest";
import { scriptParser } from "./parse-script.ts";

const { parse } = await scriptParser();
const resultOf = (path: string, text: string) => {
  const result = parse(path, text);
  return "fault" in result ? `${result.fault.line}: ${result.fault.message}` : "parses";
};

describe("a script", () => {
  it.each([
    ["a.js", "const a = <div/>;", "parses"],
    ["a.js", "#!/usr/bin/env node\nfoo()", "parses"],
    ["a.js", "return 1", "parses"],
    ["a.cjs", "with (a) {} var await = 0777", "parses"],
    ["a.js", "await foo()", "parses"],
    ["a.mjs", "return 1", "1: 'return' outside of function, column 1"],
    ["a.mjs", "with (a) {}", "1: 'with' in strict mode, column 1"],
    ["a.js", "import 'a';\nwith (b) {}", "2: 'with' in strict mode, column 1"],
    ["a.js", "let a: number = 1", "1: missing semicolon, column 6"],
    ["a.js", "// @flow\nlet a: number = (1: any)", "parses"],
    ["a.ts", "let a: number = <T>b", "parses"],
    ["a.ts", "let a\n\n= = 3", "3: unexpected token, column 3"],
    ["a.ts", "let a; let a;", "1: identifier 'a' has already been declared, column 12"],
    ["a.ts", "const a = <div/>", '1: unexpected token, expected ",", column 15'],
    ["a.tsx", "const a = <div/>", "parses"],
    ["a.tsx", "const a = <T,>(b: T) => b", "parses"],
    ["a.mts", "enum A { B } import c = require('c'); export = c", "parses"],
    ["a.cts", "namespace A { export const b = 1 }", "parses"],
    ["a.d.ts", "export const a: 1; export function f(): void", "parses"],
    ["a.ts", "class A { constructor(@Inject() private b: B) {} }", "parses"],
    ["a.ts", "@a export class B {}", "parses"],
    ["a.ts", "export @a class B { @b accessor c = 1 }", "parses"],
    ["a.ts", "export @a clas B {}", '1: unexpected token, expected "{", column 8'],
    ["a.ts", "using a = b(); import c from './c.json' with { type: 'json' }", "parses"],
    ["a.jsx", "<a><b></a>", "1: expected corresponding JSX closing tag for <b>, column 7"],
  ])("%s: %j", (path, text, expected) => {
    expect(resultOf(path, text)).toBe(expected);
  });

  it.each([
    ["brackets", `x = ${"[".repeat(50_000)}`],
    ["objects", `x = ${"{a:".repeat(50_000)}1${"}".repeat(50_000)}`],
    ["a sum", `a${"+a".repeat(50_000)}`],
    ["arrows", `${"a=>".repeat(50_000)}a`],
    ["types", `type A = ${"B<".repeat(50_000)}C`],
  ])("that is nested too deeply is refused without a crash: %s", (_, text) => {
    expect(resultOf("a.ts", text)).toBe("1: nested too deeply to be parsed");
  });

  it("that would take forever is stopped", () => {
    expect(resultOf("a.ts", "<T>(".repeat(30))).toBe(
      "1: takes too long to parse: it is nested in too many ways",
    );
  });
});
