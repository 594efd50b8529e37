import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findAnswer } from "../../src/clients/answer/find-answer.ts";
import { cpuMsSince } from "../support/cpu-time.ts";

const answer = { status: "OK", summary: 'a "quoted" {brace}', artifacts: { notes: ["}", "\\", "\n"] } };
const inLine = JSON.stringify(answer);
const overLines = JSON.stringify(answer, null, 2);

describe("the answer", () => {
  it.each<[string, string]>([
    ["alone", inLine],
    ["over several lines", overLines],
    ["with the line ends of Windows", overLines.replaceAll("\n", "\r\n")],
    ["in a fence", `Done.\n\n\`\`\`json\n${overLines}\n\`\`\`\nThat is all.`],
    ["in the middle of a sentence", `My answer is ${inLine}, as you wanted.`],
    ["after other objects", `{"status":"FAIL"}\n[{"a":1}]\n${inLine}\n`],
    ["before a line of usage", `${inLine}\n{"usage":{"tokens":12}}\n`],
    ["before a line of a log", `${inLine}\n{"level":30,"msg":"bye","status":200}\n`],
    ["before prose with braces", `${inLine}\nI left \`main() {}\` and {this} as they are: { x }, {"a", {"b`],
    ["after a brace without an end", `function f() { return {"a": ${inLine}`],
    ["after a quote without an end", `{"note":"it begins ${inLine}`],
    ["between bytes that are not text", `\u0000\ufffd\u001b[31m${inLine}\u001b[0m\u0000`],
  ])("is found %s", (_, text) => expect(findAnswer(text)).toEqual(answer));

  it.each(["", "done", "{}", "{status: OK}", "{'status':'OK'}", '["OK"]', '"{}"', `{"a":1,}`, '{"a":"\n"}'])(
    "is not found in %j",
    (text) => expect(findAnswer(text)).toBeUndefined(),
  );

  it("is the whole object, not one inside it", () => {
    expect(findAnswer('{"a":{"b":[{"c":1}]}}')).toEqual({ a: { b: [{ c: 1 }] } });
  });

  it("is not a part of a document that is nested too deeply", () => {
    const deep = `${'{"a":'.repeat(101)}1${"}".repeat(101)}`;
    expect(findAnswer(`${inLine}${deep}`)).toEqual(answer);
  });

  it("keeps a key with the name of the prototype", () => {
    expect(Object.keys(findAnswer('{"__proto__":1}') ?? {})).toEqual(["__proto__"]);
  });
});

describe("any answer", () => {
  const objects = fc
    .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    .filter((object) => Object.keys(object).some((key) => key !== "usage"))
    .map((object) => JSON.parse(JSON.stringify(object)) as object);
  const pieces = fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "\\", "\n", " ", "a", "1", "-", "null");
  const fragments = fc.array(pieces, { maxLength: 24 }).map((list) => list.join(""));

  it("is found after any text and before any text without a closing brace", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fragments),
        objects,
        fc.oneof(fc.string(), fragments),
        fc.constantFrom(undefined, 1, "\t"),
        (before, object, after, indent) => {
          const text = before + JSON.stringify(object, null, indent) + after.replaceAll("}", "");
          expect(findAnswer(text)).toEqual(object);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("is the same object that JSON.parse finds from left to right", () => {
    let some = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(pieces, fc.constantFrom('{"a":1}', '"a":')), { maxLength: 24 }),
        (list) => {
          const text = list.join("");
          const expected = lastByTrying(text);
          if (expected !== undefined) some += 1;
          expect(findAnswer(text)).toEqual(expected);
        },
      ),
      { numRuns: 5000 },
    );
    expect(some).toBeGreaterThan(500);
  });
});

/** An independent reference: tries every end for every beginning. */
function lastByTrying(text: string): unknown {
  let last: unknown;
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] !== "{") continue;
    for (let end = start + 2; end <= text.length; end += 1) {
      const object = parsed(text.slice(start, end));
      if (object === undefined) continue;
      if (Object.keys(object).length > 0) last = object;
      start = end - 1;
      break;
    }
  }
  return last;
}

function parsed(json: string): object | undefined {
  try {
    return JSON.parse(json) as object;
  } catch {
    return undefined;
  }
}

describe("a mebibyte of possible beginnings of an answer", () => {
  it.each([
    "{",
    '{"',
    '{"a":',
    '{"a":[',
    '{"a":"',
    '{"a":{},"b":',
    '[{"a":1},',
    '{"a":"\\',
    '{"a":"{\\"',
    "{ ",
    "\\n",
  ])("%j is searched quickly", (unit) => {
    const text = unit.repeat(Math.floor(2 ** 20 / unit.length));
    const start = process.cpuUsage();
    findAnswer(text);
    findAnswer(`{"a":["${text}`);
    expect(cpuMsSince(start)).toBeLessThan(10_000);
  });

  it("is read to its end if it is one text", () => {
    const text = "\n".repeat(2 ** 19);
    expect(findAnswer(JSON.stringify({ text }))).toEqual({ text });
  });
});
