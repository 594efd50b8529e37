import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HeadAndTail } from "./head-and-tail.ts";

function read(lines: readonly string[], bounds: { headMax: number; tailMax: number }) {
  const kept = new HeadAndTail(bounds, (line) => line.startsWith("#"));
  const added = lines.map((line) => kept.add(line));
  return { head: lines.filter((_line, at) => added[at] === "head"), added, ...kept.rest() };
}

describe("a long list of lines", () => {
  it("is kept whole if it is short enough", () => {
    expect(read(["a", "b"], { headMax: 10, tailMax: 10 })).toMatchObject({
      head: ["a", "b"],
      leftOut: { lines: 0 },
      tail: [],
    });
  });

  it("keeps its beginning and its end, and counts the missing lines", () => {
    const lines = ["1", "2", "#3", "4", "5", "6"];
    expect(read(lines, { headMax: 3, tailMax: 4 })).toEqual({
      head: ["1", "2"],
      added: ["head", "head", "first", "later", "later", "later"],
      leftOut: { lines: 2, characters: 5, lastMark: "#3" },
      tail: ["5", "6"],
    });
  });

  it("keeps no part of a last line that is too long", () => {
    expect(read(["1", "22222"], { headMax: 1, tailMax: 3 })).toMatchObject({
      leftOut: { lines: 1, characters: 6 },
      tail: [],
    });
  });

  it("consists of head, omitted lines and tail", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 8 })),
        fc.nat(40),
        fc.nat(40),
        (lines, headMax, tailMax) => {
          const { head, leftOut, tail } = read(lines, { headMax, tailMax });
          expect(head).toEqual(lines.slice(0, head.length));
          expect(tail).toEqual(lines.slice(lines.length - tail.length));
          expect(head.length + leftOut.lines + tail.length).toBe(lines.length);
          expect(tail.reduce((sum, line) => sum + line.length + 1, 0)).toBeLessThanOrEqual(tailMax);
        },
      ),
    );
  });
});
