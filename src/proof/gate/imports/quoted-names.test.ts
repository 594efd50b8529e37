import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptParser } from "../reading/parse-script.ts";
import { quotedNames } from "./quoted-names.ts";
import { importsIn } from "./script-imports.ts";

const { parse } = await scriptParser();

describe("the names in a script", () => {
  it.each([
    ['import "./a"; import b from "./b"', ["./a", "./b"]],
    ["export * from'./a'", ["./a"]],
    ["require(`./a`); (require)('./b'); require<T>(\n  './c'\n)", ["./a", "./b", "./c"]],
    ['import(/* "no" */ "./a"); import(// why\n  "./b")', ["./a", "./b"]],
    ['import a from /* here */ "./a"', ["./a"]],
    ['import "./\\x61\\u0062\\u{63}\\.js"', ["./abc.js"]],
    ["/* (' */ import './a'", [" */ import ", "./a"]],
    ['import "./it\'s"', ["./it's"]],
    ['import "./a"; t("key"); const b = "no"', ["./a", "key"]],
    ['t("key")', []],
  ])("%s", (text, names) => {
    expect([...quotedNames(text)]).toEqual(names);
  });

  it("include every import, in any spelling", () => {
    const space = fc.constantFrom("", " ", "\n", "\t", '/* "c" */', "// it's\n", "/**/ ");
    const name = fc.constantFrom("./a", "../b.js", "@c/d", "#e", "./f'g", "./h\\x69", "./j\\k");
    const quote = fc.constantFrom('"', "'", "`");
    const form = fc.constantFrom(
      "import~",
      "import a from~",
      "export * from~",
      "import(~)",
      "require(~)",
      "x(/(['`/,~)",
    );
    const line = fc.tuple(form, space, name, quote, space).map(([shape, before, text, mark, after]) => {
      const isText = /from~|import~/.test(shape) ? mark.replace("`", '"') : mark;
      const literal = text.includes(isText) ? `"${text}"` : `${isText}${text}${isText}`;
      return shape.replace("~", () => `${before}${literal}${after}`);
    });
    let imports = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom("; ", "\n"), (lines, end) => {
        const text = lines.map((one, at) => one.replace("import a", `import a${at}`)).join(end);
        const parsed = parse("a.ts", text);
        if ("fault" in parsed) return;
        const wanted = importsIn("a.ts", parsed.program).map(({ specifier }) => specifier);
        imports += wanted.length;
        const names = quotedNames(text);
        expect(wanted.filter((one) => !names.has(one))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
    expect(imports).toBeGreaterThan(500);
  });

  it("are found in linear time", () => {
    for (const piece of ["(", '("', "('\"`", "from ", "\n", "( ", '("\\', "import("])
      expect(quotedNames(`import ${piece.repeat(1_000_000 / piece.length)}`).size).toBeLessThan(10);
  });
});
