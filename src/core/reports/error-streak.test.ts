import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextStreak, type Streak } from "./error-streak.ts";

const streakOf = (...errors: string[]) => errors.reduce<Streak | null>(nextStreak, null);

describe("a streak of errors", () => {
  it.each<[string, string[], number]>([
    ["begins with one", ["a"], 1],
    ["grows with the same error", ["a", "a", "a"], 3],
    ["begins again with another", ["a", "a", "b"], 1],
    ["is not carried over another error", ["a", "a", "b", "a"], 1],
    ["grows after it began again", ["a", "b", "b"], 2],
  ])("%s", (_, errors, count) => expect(streakOf(...errors)).toEqual({ fingerprint: errors.at(-1), count }));

  it("is as long as the row of equal errors at the end", () => {
    const errors = fc.array(fc.constantFrom("a", "b"), { minLength: 1 });
    fc.assert(
      fc.property(errors, (list) => {
        const other = list.findLastIndex((error) => error !== list.at(-1));
        expect(streakOf(...list)?.count).toBe(list.length - 1 - other);
      }),
    );
  });
});
