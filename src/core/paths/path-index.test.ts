import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Entry, readEntry } from "./entry.ts";
import { PathIndex } from "./path-index.ts";
import { Scope } from "./scope.ts";

const place = { root: "/repo" };

function entry(text: string): Entry {
  const result = readEntry(text, place);
  if ("error" in result) throw new Error(result.error);
  return result.entry;
}

const text = fc
  .array(fc.constantFrom("a", "b", "c", "*", "**", "a*", "[ab]"), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"));
const owner = fc.constantFrom("T-1", "T-2", "T-3");
const locks = fc.array(fc.record({ owner, text }), { maxLength: 12 });

describe("an index of many locks", () => {
  it("finds an overlap exactly when a lock of another owner overlaps", () => {
    fc.assert(
      fc.property(locks, text, owner, (held, asked, self) => {
        const index = new PathIndex();
        for (const lock of held) index.add(lock.owner, entry(lock.text));
        const model = held.some(
          (lock) =>
            lock.owner !== self && new Scope([entry(lock.text)], place).touching(entry(asked)) !== undefined,
        );
        const found = index.overlapping(entry(asked), self);
        expect(found !== undefined).toBe(model);
        if (found !== undefined)
          expect(
            held.some((lock) => lock.owner === found.owner && entry(lock.text).text === found.text),
          ).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("removes an owner without a trace", () => {
    fc.assert(
      fc.property(locks, text, owner, (held, asked, gone) => {
        const all = new PathIndex();
        const rest = new PathIndex();
        for (const lock of held) all.add(lock.owner, entry(lock.text));
        for (const lock of held) if (lock.owner !== gone) rest.add(lock.owner, entry(lock.text));
        all.removeOwner(gone);
        expect(all.size).toBe(rest.size);
        expect(all.overlapping(entry(asked)) !== undefined).toBe(
          rest.overlapping(entry(asked)) !== undefined,
        );
        expect(all.covers(entry(asked))).toBe(rest.covers(entry(asked)));
      }),
      { numRuns: 1000 },
    );
  });

  it("gives the same answer in any order of the locks", () => {
    fc.assert(
      fc.property(locks, text, (held, asked) => {
        const [one, other] = [new PathIndex(), new PathIndex()];
        for (const lock of held) one.add(lock.owner, entry(lock.text));
        for (const lock of held.toReversed()) other.add(lock.owner, entry(lock.text));
        expect(one.overlapping(entry(asked)) !== undefined).toBe(
          other.overlapping(entry(asked)) !== undefined,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("terminates with many `**`", () => {
    const index = new PathIndex();
    index.add("T-1", entry(`${"**/a/".repeat(8)}b`));
    expect(index.overlapping(entry(`${"a/".repeat(200)}c.?s`), "T-2")).toBeUndefined();
    expect(index.overlapping(entry(`${"**/a/".repeat(8)}x.ts`), "T-2")).toBeUndefined();
  });
});
