import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEntries } from "../paths/scope.ts";
import { place } from "./plan.test-support.ts";
import { overlapOf } from "./planned-task.ts";
import { HeldLocks } from "./waits.ts";

const entriesOf = (texts: readonly string[]) => {
  const read = readEntries(texts, place);
  if ("error" in read) throw new Error(read.error);
  return read.entries;
};

const segment = fc.constantFrom("a", "b", "ab", "c.ts", ".");
const plain = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const glob = fc.tuple(plain, fc.constantFrom("/**", "/*", "*")).map((parts) => parts.join(""));

describe("the locks in the way of a task", () => {
  it.each<[string, fc.Arbitrary<string>]>([
    ["plain paths", plain],
    ["globs too", fc.oneof({ weight: 3, arbitrary: plain }, glob)],
  ])("are those that overlap its scope (%s)", (_, path) => {
    fc.assert(
      fc.property(
        fc.array(path, { maxLength: 6 }),
        fc.array(path, { minLength: 1, maxLength: 3 }),
        (held, wanted) => {
          const locks = held.map((text, at) => {
            const [entry] = entriesOf([text]);
            if (entry === undefined) throw new Error("no entry");
            return { task: `T-${at}`, kind: "path" as const, resource: text, entry };
          });
          const scope = entriesOf(wanted);
          const found = new HeldLocks(locks, {}).inTheWayOf({ scope, uses: [] }, "T-own");
          const overlapping = locks.filter(
            ({ entry }) => overlapOf({ scope: [entry] }, { scope }) !== undefined,
          );
          expect(found.length > 0).toBe(overlapping.length > 0);
          const owners = overlapping.map(({ task }) => task);
          for (const { owner } of found) expect(owners).toContain(owner);
        },
      ),
    );
  });

  it("exclude its own locks, and include a resource only if it is fully used", () => {
    const lock = (task: string, resource: string) => {
      const [entry] = entriesOf(["x"]);
      if (entry === undefined) throw new Error("no entry");
      return { task, kind: "resource" as const, resource, entry };
    };
    const locks = [lock("A", "db"), lock("B", "db"), lock("C", "gpu")];
    const inTheWay = (counts: Record<string, number>, key: string) =>
      new HeldLocks(locks, counts)
        .inTheWayOf({ scope: [], uses: ["db", "gpu"] }, key)
        .map(({ owner }) => owner);
    expect(inTheWay({ db: 2 }, "D")).toEqual(["A", "B", "C"]);
    expect(inTheWay({ db: 3, gpu: 2 }, "D")).toEqual([]);
    expect(inTheWay({ db: 2, gpu: 1 }, "A")).toEqual(["C"]);
  });
});
