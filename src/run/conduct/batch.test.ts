import { describe, expect, it } from "vitest";
import { Batch } from "./batch.ts";

const minute = 60_000;

describe("a running batch", () => {
  it("is merged as soon as all its tasks are ready", () => {
    const batch = new Batch(0);
    batch.ready(minute);
    expect(batch.closes([], minute)).toBe(true);
    expect([...batch.late]).toEqual([]);
  });

  it("is merged without tasks that take twice as long, which move to the next batch", () => {
    const batch = new Batch(0);
    batch.ready(minute);
    batch.ready(2 * minute);
    expect(batch.closes(["slow"], 4 * minute - 1)).toBe(false);
    expect([...batch.late]).toEqual([]);
    expect(batch.closes(["slow"], 4 * minute)).toBe(true);
    expect([...batch.late]).toEqual(["slow"]);
    batch.begin(5 * minute);
    expect([...batch.late]).toEqual([]);
    batch.ready(6 * minute);
    expect(batch.closes(["slow"], 7 * minute - 1)).toBe(false);
  });
});
