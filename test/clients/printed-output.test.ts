import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LastBytes } from "../../src/clients/process/last-bytes.ts";
import { PrintedLines } from "../../src/clients/process/printed-lines.ts";

/** Bytes in chunks of random sizes. */
const chunks = fc.array(
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 12 },
);

describe("the output of an agent", () => {
  it("has the same lines in chunks of any size", () => {
    const texts = fc.array(fc.constantFrom("a", "é", "😀", "\n", "\r", "\r\n", " "), { maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5 }), (parts, size) => {
        const text = parts.join("");
        const bytes = Buffer.from(text);
        const lines: string[] = [];
        const printed = new PrintedLines((line) => lines.push(line));
        for (let at = 0; at < bytes.length; at += size) printed.add(bytes.subarray(at, at + size));
        printed.end();
        // A line end of two characters that is split between chunks makes an additional blank line.
        const filled = (all: readonly string[]) => all.filter((line) => line !== "");
        expect(filled(lines)).toEqual(filled(text.split(/[\r\n]/)));
      }),
      { numRuns: 1000 },
    );
  });

  it("is split if a line has no end", () => {
    const lengths: number[] = [];
    const printed = new PrintedLines((line) => lengths.push(line.length));
    for (let at = 0; at < 10; at += 1) printed.add(Buffer.alloc(40_000, "x"));
    printed.end();
    expect(lengths).toEqual([80_000, 80_000, 80_000, 80_000, 80_000]);
  });

  it("keeps as many of its last bytes as there is room for", () => {
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 20 }), (pieces, room) => {
        const kept = new LastBytes(room);
        for (const piece of pieces) kept.add(piece);
        const all = Buffer.concat(pieces);
        expect(kept.text()).toBe(all.subarray(Math.max(0, all.length - room)).toString("utf8"));
      }),
      { numRuns: 1000 },
    );
  });
});
