import fc from "fast-check";
import { expect, it } from "vitest";
import { hashText } from "./hash-text.ts";

it.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
])("`%s` has the published hash %s", (text, hash) => expect(hashText(text)).toBe(hash));

it("the hash is that of the reference arithmetic for any text", () => {
  const reference = (text: string) => {
    let hash = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text))
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    return hash.toString(16).padStart(16, "0");
  };
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => hashText(text) === reference(text)));
});
