import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withDeadline } from "../reading/with-deadline.ts";
import { safePattern } from "./safe-pattern.ts";

const faultOf = (source: string) => {
  const result = safePattern(source);
  return "error" in result ? result.error.replace(/,.*/, "") : "safe";
};
const many = "a repeated group can match one text in many ways";

describe("a pattern", () => {
  it.each([
    ["console\\.log", "safe"],
    ["^import .* from ['\"]lodash['\"]", "safe"],
    ["(?:foo|bar)+", "safe"],
    ["(foo|fab)", "safe"],
    ["(?<year>\\d{4})-(?:\\d{2}-?)", "safe"],
    ["(?:\\d{1,3}\\.){3}\\d{1,3}", "safe"],
    ["(ab)*c*", "safe"],
    ["(a+)?", "safe"],
    ["^[a-z0-9]+(?:-[a-z0-9]+)*(?:\\.test)?\\.ts$", "safe"],
    ["^(?:[a-z]+/)*[a-z]+$", "safe"],
    ["(?:\\.\\w{1,9})+", "safe"],
    ["(?:\\w+, )*", "safe"],
    ["(?:-[a-z-]+)*", many],
    ["(?:-a+b+)*", many],
    ["(?:-a+-?)*", many],
    ["(?:-(?:a+))*", many],
    ["(?:-a+|-b)*", many],
    ["(?:(?:-a+)*)*", many],
    ["(?:\\d\\w+)*", many],
    ["[(a+)]+", "safe"],
    ["\\(a+\\)+", "safe"],
    ["\\p{Lu}+", "safe"],
    ["(?=a+)b", "safe"],
    ["(a+)+", many],
    ["(a*)*", many],
    ["((a+))+", many],
    ["(?:a{2,})*", many],
    ["(?:(?:ab)+c)*", many],
    ["(?:a{1,20}){1,20}", many],
    ["(?<x>\\w+\\s?)*$", many],
    ["(?:[^)]+)+", many],
    ["(?:\\)+)+", many],
    ["(a|a)*", many],
    ["(a|ab)+", many],
    ["(?:\\s|\\w)+", many],
    ["(?:.|\\n)*", many],
    ["(?:|a)+", many],
    ["(?:(?:a)|(?:a))+", many],
    ["x*y*(?:a|b)*z*", "safe"],
    ["(?:(?:a|aa))+", many],
    ["(?:a?b)+", "safe"],
    ["(?:a?[ab])+", many],
    ["(?:-a+[-a])*", many],
    ["(?:\\\\[a-z]+)*", "safe"],
    ["(?:a?){30}a{30}", many],
    ["(?:(?:a|b)c)+", "safe"],
    ["(", "unterminated group"],
    ["a\\-b", "invalid escape"],
    ["*", "nothing to repeat"],
    ["a".repeat(501), "it is longer than 500 characters"],
  ])("%s", (source, expected) => {
    expect(faultOf(source)).toBe(expected);
  });

  it("that is accepted ends soon on any line", () => {
    const atom = fc.constantFrom("a", "b", "b", "[ab]", ".", "\\w", "(?:a|b)", "(?:ab)");
    const repeat = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}");
    const part = fc.tuple(atom, repeat).map((two) => two.join(""));
    const group = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 2 }), repeat)
      .map(([parts, times]) => `(?:${parts.join("")})${times}`);
    const source = fc
      .array(fc.oneof(part, group), { minLength: 1, maxLength: 3 })
      .map((parts) => `${parts.join("")}$`);
    const line = fc.constantFrom(
      "a".repeat(60),
      "ab".repeat(30),
      `${"ab".repeat(30)}!`,
      `${"a".repeat(60)}!`,
    );
    fc.assert(
      fc.property(source, line, (text, input) => {
        const result = safePattern(text);
        if ("pattern" in result) expect(withDeadline(2000, () => result.pattern.test(input))).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
});
