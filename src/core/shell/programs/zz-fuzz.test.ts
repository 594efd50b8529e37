import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { literal, unknownText, type Text } from "../text.ts";
import type { Effects } from "../types.ts";
import { findProgram } from "./programs.ts";
const none = () => {};
const effects: Effects = { write: none, refuse: none, opaque: none, operand: none, code: none, run: none, shell: none, within: () => effects };
const dir = "src/core/shell/programs/";
const names = new Set<string>();
for (const f of readdirSync(dir)) for (const m of readFileSync(dir + f, "utf8").matchAll(/[\w.+-]+/g)) if (findProgram(m[0])) names.add(m[0]);
const subs = ["", "run", "exec", "check", "-c", "-e", "-i", "--write", "commit", "checkout", "config", "apply", "-c=", "x", "-f", "-", "--eval="];
const patterns = ["'", '"', "/", "\\/", "[", "s", "s/", ";s一", "(", "{", "a:", "\n", " ", "\t", "=", "-", "--- a\n", "@@ -1 +1 @@\n", "$(", "$", "1", "e", "|", ">", "w ", "a.", ";", "%output{", "copy to ", "*** Add File: ", "\n\ta", "print >", '"a" > ', "{}", ","];
it("is fast", () => {
  const slow: string[] = [];
  for (const name of names) for (const sub of subs) for (const pat of patterns) {
    const text = literal(pat.repeat(Math.ceil(16384 / pat.length)) + "x");
    const t = performance.now();
    findProgram(name)?.({ name, args: sub === "" ? [text] : [literal(sub), text, literal("z")], input: { kind: "text", text } }, effects);
    const d = performance.now() - t;
    if (d > 60) slow.push(`${name} ${sub} ${JSON.stringify(pat)} ${Math.round(d)}`);
  }
  console.log(names.size, slow.join("\n"));
}, 600000);
it("never throws", () => {
  const word: fc.Arbitrary<Text> = fc.oneof(fc.string().map(literal), fc.constant(unknownText), fc.constantFrom("-", "--", "-c", "-e", "-i", "-o", "-x", "--", "run", "exec", "commit", "checkout", "-C", ":::", "-exec", ";", "{}", "+", "=", "a=b", "--x=y", "-oX", "&").map(literal), fc.constant([]), fc.constant<Text>([{ kind: "pipe", content: undefined }]), fc.constant<Text>([{ kind: "literal", text: "-o" }, { kind: "unknown", source: "computed" }]));
  fc.assert(fc.property(fc.constantFrom(...names), fc.array(word, { maxLength: 7 }), fc.oneof(fc.constant({ kind: "none" } as const), fc.constant({ kind: "unknown" } as const), word.map((text) => ({ kind: "text", text }) as const)), (name, args, input) => {
    findProgram(name)?.({ name, args, input }, effects);
    expect(true).toBe(true);
  }), { numRuns: 200000 });
}, 600000);
