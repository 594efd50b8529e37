import { describe, expect, it } from "vitest";
import { type Cycle, stalledCycles } from "./progress.ts";

const cycle = (tree: string | null, fingerprint = "same"): Cycle => ({ tree, fingerprint });

describe("cycles without progress", () => {
  it.each<[string, readonly Cycle[], number]>([
    ["none yet", [], 0],
    ["a first work that was refused", [cycle("a")], 0],
    ["a first one that changed nothing", [cycle(null)], 1],
    ["nothing at all, twice", [cycle(null), cycle(null)], 2],
    ["the same work with the same fault again", [cycle("a"), cycle("a")], 1],
    ["and once more", [cycle("a"), cycle("a"), cycle("a")], 2],
    ["other work with the same fault", [cycle("a"), cycle("b"), cycle("c")], 0],
    ["the same work with another fault", [cycle("a"), cycle("a", "other")], 0],
    ["work at last", [cycle(null), cycle(null), cycle("a")], 0],
    ["work that is taken back", [cycle("a"), cycle(null)], 0],
  ])("are counted from the end: %s", (_name, cycles, stalled) => {
    expect(stalledCycles(cycles)).toBe(stalled);
  });
});
