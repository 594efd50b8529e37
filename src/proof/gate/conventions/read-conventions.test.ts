import { describe, expect, it } from "vitest";
import { readConventions } from "./read-conventions.ts";

const faultsOf = (...lines: string[]) => {
  const result = readConventions(lines.join("\n"));
  return "faults" in result
    ? result.faults.map(({ line, message }) => `${line}: ${message}`)
    : result.rules.map(({ id, kind, pattern, message }) => `${id} ${kind} ${pattern.source}: ${message}`);
};

describe("the rules of a document", () => {
  it("are the lines of that form, with any text between them", () => {
    expect(
      faultsOf(
        "---",
        "name: our patterns",
        "---",
        "# Patterns",
        "We rule: nothing is logged. The rule: is old.",
        "rule: `console\\.log` in `src/**`: use the logger",
        "- no-default: rule: `^export default` in `src/**/*.ts`: name what you export",
        "1. require: `^// Copyright` in `src`: begin with the licence",
        "* kebab: name: `src/**/*.ts` must match `^[a-z-]+\\.ts$`",
        "name: `docs/*` must match `\\.md$`: only Markdown here",
      ),
    ).toEqual([
      "systemPatterns.md:6 rule console\\.log: use the logger",
      "no-default rule ^export default: name what you export",
      "systemPatterns.md:8 require ^\\/\\/ Copyright: begin with the licence",
      "kebab name ^[a-z-]+\\.ts$: the name must match `^[a-z-]+\\.ts$`",
      "systemPatterns.md:10 name \\.md$: only Markdown here",
    ]);
    expect(faultsOf("# Patterns", "", "Be kind.")).toEqual([]);
  });

  it.each([
    ["rule: no console.log", "1: the rule cannot be read: write rule: `regex` in `glob`: message"],
    ["rule: `a` in `b`", "1: the rule cannot be read: write rule: `regex` in `glob`: message"],
    ["- x: require: `a` `b`: c", "1: the rule cannot be read: write require: `regex` in `glob`: message"],
    ["name: `a` matches `b`", "1: the rule cannot be read: write name: `glob` must match `regex`"],
    ["rule: `(` in `src`: x", "1: regex `(` cannot be used: unterminated group"],
    ["rule: `a` in `../x`: x", "1: glob `../x` cannot be read: it leaves the project"],
    [
      "rule: `a` in `!src`: x",
      "1: glob `!src` cannot be read: negation and ( ) groups are not supported in a scope",
    ],
    ["example ok: x", "1: this example comes before any rule: put it below the rule that it belongs to"],
  ])("%s", (line, fault) => {
    expect(faultsOf(line)).toEqual([fault]);
  });

  it("have unique names", () => {
    expect(faultsOf("a: rule: `x` in `src`: y", "a: rule: `z` in `src`: y")).toEqual([
      "2: there are two rules `a`: name them differently",
    ]);
  });

  it("cannot contain a pattern that hangs", () => {
    expect(faultsOf("rule: `(a+)+$` in `src`: x")[0]).toContain("cannot be used: a repeated group can match");
  });
});

describe("an example", () => {
  const rule = "a: rule: `\\bfoo\\(` in `src/**`: no foo";
  const need = "a: require: `^use` in `src/**`: use it";
  const name = "a: name: `src/**` must match `^[a-z]+\\.ts$`";
  const says = (text: string) => [`2: rule \`a\` contradicts its example: ${text}`];
  it.each([
    [rule, "example bad: foo(1)", undefined],
    [rule, "- example bad: `x = foo(1)`", undefined],
    [rule, "example ok: food(1)", undefined],
    [rule, "example ok: foo(1)", says("`foo(1)` is called ok, but the rule matches")],
    [rule, "example bad: food(1)", says("`food(1)` is called bad, but the rule does not match")],
    [need, "example ok: use strict", undefined],
    [need, "example bad: no use", undefined],
    [need, "example ok: ` use`", says("` use` is called ok, but the rule does not match")],
    [need, "example bad: use", says("`use` is called bad, but the rule matches")],
    [name, "example ok: src/a/price.ts", undefined],
    [name, "example ok: price.ts", undefined],
    [name, "example bad: src/Price.ts", undefined],
    [name, "example ok: src/Price.ts", says("`src/Price.ts` is called ok, but the rule does not match")],
    [name, "example ok: lib/price.ts", says("`lib/price.ts` is called ok, but the glob does not match it")],
  ])("of %s: %s", (first, second, faults) => {
    const result = faultsOf(first, second);
    if (faults === undefined) expect(result).toHaveLength(1);
    else expect(result).toEqual(faults);
  });

  it("belongs to the rule above it, and is ignored if that rule is invalid", () => {
    expect(
      faultsOf(rule, "", "Some words.", "example bad: foo()", "b: rule: `x` in `y`: z", "example bad: x"),
    ).toHaveLength(2);
    expect(faultsOf("rule: `(` in `src`: x", "example bad: (")).toHaveLength(1);
  });
});
