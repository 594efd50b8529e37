import { describe, expect, it } from "vitest";
import { linesOf } from "../support/loaded-config.ts";

const notPlain = (why: string) => `this is not plain YAML (${why}): expected maps, lists and plain values`;

describe("YAML that is refused", () => {
  it.each([
    ["a file that is a list", "\n- limits\n", "2:1: the file is a list: expected a map"],
    ["a file that is a word", "limits\n", "1:1: the file is `limits`: expected a map"],
    [
      "a key given twice",
      "sandbox: off\nlimits:\n  widen: ask\n  widen: auto\n",
      "4:3: `limits.widen` is given twice: expected each key once",
    ],
    [
      "a section given twice",
      "gate: {}\nsandbox: auto\ngate: {}\n",
      "3:1: `gate` is given twice: expected each key once",
    ],
    [
      "a list item with a key too far left",
      "checks:\n  - a: b\n   c: d\n",
      "3:1: this is not plain YAML (sequence item without - indicator): expected the keys of one map or item in one column",
    ],
    ["a key that is a list", "? [a]\n: 1\n", "1:3: this is not a key: expected a word"],
    [
      "a key that every object inherits",
      "limits:\n  __proto__: { max_parallel: 1 }\n",
      "2:3: this is not a key: expected a word",
    ],
    [
      "an alias",
      "checks:\n  default: &all [npm test]\n  full: *all\n",
      "3:9: `*all` is an alias: expected the value itself",
    ],
    [
      "an alias that holds itself",
      "checks:\n  default: &all [*all]\n",
      "2:18: `*all` is an alias: expected the value itself",
    ],
    [
      "a second document",
      "sandbox: auto\n---\nsandbox: off\n",
      "2:1: a second document starts here: expected one document",
    ],
    ["a tag", "sandbox: !now off\n", `1:10: ${notPlain("unresolved tag: !now")}`],
    ["a tab", "limits:\n\twiden: ask\n", `2:1: ${notPlain("tabs are not allowed as indentation")}`],
    [
      "two colons",
      "sandbox: auto: off\n",
      `1:10: ${notPlain("nested mappings are not allowed in compact mappings")}`,
    ],
    [
      "a bracket left open",
      "checks: { full: [a, b }\nsandbox: off\n",
      `1:23: ${notPlain("flow sequence in block collection must be sufficiently indented and end with a ]")}`,
    ],
    ["a quote left open", 'sandbox: "auto\n', `2:1: ${notPlain('missing closing "')}`],
    [
      "too many levels",
      `hooks: { before_merge: [{ run_tests: ${"[".repeat(20)}${"]".repeat(20)} }] }\n`,
      "1:51: this is nested too deeply: expected at most 16 levels",
    ],
  ])("%s is shown with its position", async (_, text, line) => {
    expect(await linesOf(text)).toEqual([line]);
  });

  it.each([
    ["open brackets", "["],
    ["list items", "- "],
    ["maps in maps", "a: {"],
    ["complex keys", "? "],
    ["quotes", "'"],
  ])("a file full of %s is a fault, not a crash", async (_, piece) => {
    const lines = await linesOf(piece.repeat(Math.floor(200_000 / piece.length)));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(20);
  });
});
