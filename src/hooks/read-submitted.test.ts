import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { cpuMsSince } from "../../test/support/cpu-time.ts";
import { readSubmittedText } from "./read-submitted.ts";

const read = readSubmittedText;

describe("a submitted text", () => {
  it.each<[string, string, unknown]>([
    ["JSON", '{"status": "done"}', { status: "done" }],
    ["YAML", "status: complete\nblockers: []\n", { status: "complete", blockers: [] }],
    ["YAML with a start and an end", "---\na: 1\n...\n", { a: 1 }],
    ["YAML that is almost JSON", '{"a": 1,}', { a: 1 }],
    ["a fenced block of YAML", "```yaml\na: 1\n```\n", { a: 1 }],
    ["a fenced block of JSON", '\n\n  ```json\n{"a": 1}\n```  \n\n', { a: 1 }],
    ["a fenced block without a name", "```\r\na: 1\r\n```", { a: 1 }],
    ["a block with a fence inside", "```yaml\na: |\n  ```\n  b\n  ```\n```", { a: "```\nb\n```\n" }],
    ["a plain sentence", "all is done", "all is done"],
    [
      "words of other YAML versions",
      "a: yes\nb: 2026-01-02\nc: 0o17\nd: ~",
      { a: "yes", b: "2026-01-02", c: 15, d: null },
    ],
    ["an older version by name", "%YAML 1.1\n---\na: yes\n<<: {b: 1}", { a: "yes", "<<": { b: 1 } }],
    ["keys that are not texts", "1: a\ntrue: b", { "1": "a", true: "b" }],
    ["a few aliases", "a: &x [1]\nb: *x", { a: [1], b: [1] }],
    ["a tag of the core", "a: !!str 1", { a: "1" }],
  ])("is read as %s", async (_, text, document) => expect(await read(text)).toEqual({ document }));

  it("keeps a prototype's name as an own key", async () => {
    const { document } = (await read("__proto__: {status: done}")) as { document: object };
    expect(Object.keys(document)).toEqual(["__proto__"]);
    expect("status" in document).toBe(false);
  });

  it.each<[string, string, RegExp]>([
    ["nothing", "", /^the document is empty$/],
    ["white space", " \n\t", /is empty$/],
    ["an empty block", "```yaml\n```", /is empty$/],
    ["a syntax fault", "a: 1\nb: [1, 2\nc: 3\n", /YAML: line \d, column \d+: /],
    ["a stray bracket", "a: 1\n}\n", /: line 2, column 1: /],
    ["a fault in a block, by the line of the text", "```yaml\na: 1\n}\n```", /: line 3, column 1: /],
    ["a repeated key", "a: 1\nb:\n  c: 1\n  c: 2", /: line 4, column 3: key `c` is duplicated$/],
    ["a key repeated before other keys", "a: 1\na:\n  b: 1", /: line 2, column 1: key `a` is duplicated$/],
    ["a key repeated in quotes", '{a: 1, "a": 2,}', /: line 1, column 8: key `a` is duplicated$/],
    ["a list as a key", "[a]: 1", /: line 1, column 1: with stringKeys, all keys must be strings$/],
    ["a tag", "a: !js/function x", /: line 1, column 4: unresolved tag: !js\/function$/],
    ["a tag of older versions", "a: !!binary aGk=", /: line 1, column 4: unresolved tag: /],
    ["two documents", "a: 1\n---\nb: 2", /: line 2, column 1: a second document begins here: give only one$/],
    [
      "many documents",
      "--- 1\n--- 2\n--- 3",
      /: line 2, column 1: a second document begins here: give only one$/,
    ],
    ["an alias without its anchor", "a: *x", /: line 1, column 4: an alias comes before its anchor$/],
    ["many aliases", `a: &x 1\nb: [${"*x, ".repeat(17)}]`, /: line 2, column 69: more than 16 aliases$/],
    [
      "aliases that multiply",
      "a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]",
      /: line 2, column 8: an alias is nested below an anchor$/,
    ],
    ["an alias of itself", "a: &a [*a]", /: line 1, column 8: an alias is nested below an anchor$/],
    ["text before a block", "Here it is:\n```yaml\na: 1\n```", /: line 2, column 1: /],
    ["text after a block", "```yaml\na: 1\n```\nThat was it: all", /: line 1, column 1: /],
    ["two blocks", "```yaml\na: 1\n```\n```yaml\nb: 1\n```", /: line 3, column 1: /],
    ["deep nesting", `${"[".repeat(100)}`, /: line 1, column \d+: nested deeper than 64$/],
    ["too much", `"${"x".repeat(1024 * 1024)}"`, /^the document is longer than 1048576 bytes: send less$/],
    ["too much in bytes", `"${"é".repeat(512 * 1024)}"`, /longer than 1048576 bytes/],
  ])("is refused for %s", async (_, text, error) =>
    expect(await read(text)).toEqual({ error: expect.stringMatching(error) }),
  );

  it("is JSON after a byte order mark, without the limits of YAML", async () => {
    const nested = "[".repeat(100) + "]".repeat(100);
    expect(await read(`\uFEFF${nested}`)).toEqual({ document: JSON.parse(nested) });
  });

  it("may be as long as a payload", async () => {
    const text = "x".repeat(1024 * 1024 - 2);
    expect(await read(`"${text}"`)).toEqual({ document: text });
  });

  const bytes = 1024 * 1024 - 16;
  it.each([
    "? ",
    "[",
    "{a: ",
    "- ",
    "}",
    ",",
    "a: ",
    "a:\n",
    "- *a\n",
    "&a ",
    "!a ",
    "#\n",
    "\n",
    " ",
    "%a\n",
    "'",
    "`",
    "```\n",
    "---\n",
    "|\n",
  ])("of a mebibyte of %j is read quickly", async (unit) => {
    const start = process.cpuUsage();
    await read(unit.repeat(bytes / unit.length));
    expect(cpuMsSince(start)).toBeLessThan(8000);
  });

  it("gets an answer of one line, whatever it contains", async () => {
    const piece = fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "  ",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&a ",
      "*a",
      "!t ",
      "|\n",
      "'",
      '"',
      "#",
      "? ",
      "```",
      "\t",
      "%",
      "---\n",
      "0",
      "<<",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        const answer = await read(one);
        if ("error" in answer) expect(answer.error).toMatch(/^[^\n\r]+$/);
      }),
      { numRuns: 2000 },
    );
  });

  it("is the same document in JSON and in YAML", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), async (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(await read(stringify(plain, { aliasDuplicateObjects: false }))).toEqual({ document: plain });
      }),
    );
  });
});
