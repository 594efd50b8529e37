import { describe, expect, it } from "vitest";
import { taskStates } from "../../src/core/tasks/states.ts";
import type { PlantName } from "./plants.ts";
import { describeFailure, simulate } from "./simulate.ts";
import { Statistics } from "./statistics.ts";

const seedsMax = 150;
const blockSize = 25;
/** A planted bug is detected within these. */
const plantedSeedsMax = 60;

const blocks = Array.from({ length: seedsMax / blockSize }, (_, index) => 1 + index * blockSize);
const all = new Statistics();

describe("the engine under faults", () => {
  it.each(blocks)(`keeps its invariants, from seed %i on`, async (from) => {
    for (let seed = from; seed < from + blockSize; seed += 1) {
      const outcome = await simulate(seed);
      all.add(outcome.statistics);
      if (outcome.failure !== undefined) expect.fail(describeFailure(outcome));
    }
  });

  it("reached every state, and every kind of fault", () => {
    expect([...all.states.keys()].sort()).toEqual([...taskStates].sort());
    const events = [
      "task.lost",
      "task.orphaned",
      "task.halted",
      "task.exhausted",
      "task.stopped",
      "task.taken",
      "scope.widened",
    ];
    expect(events.filter((type) => !all.events.has(type))).toEqual([]);
    const faults = ["before-read", "before-commit", "after-commit", "conflict", "full", "storm", "reboot"];
    expect(faults.filter((fault) => !all.faults.has(fault))).toEqual([]);
    const codes = new Set([...all.operations.values()].flatMap((counts) => [...counts.keys()]));
    const met = [
      "OK",
      "R-LS-001",
      "R-ST-001",
      "R-PD-003",
      "R-PE-001",
      "R-DP-001",
      "R-RT-001",
      "R-BG-001",
      "R-WD-001",
    ];
    expect(met.filter((code) => !codes.has(code))).toEqual([]);
  });

  it("behaves the same for the same seed", async () => {
    const [one, other] = [await simulate(7), await simulate(7)];
    expect(String(one.statistics)).toBe(String(other.statistics));
  });
});

describe("a planted bug is detected", () => {
  it.each<[PlantName, RegExp]>([
    ["skip-epoch-check", /INV-2/],
    ["no-fence", /INV-[12]/],
    ["no-versions", /INV-[235]|version/],
    ["lost-event", /INV-5/],
    ["lost-commit", /INV-[35]/],
    ["lost-key", /INV-3/],
    ["no-release", /MERGED and holds/],
    ["no-mask", /INV-8/],
    ["no-watchdog", /INV-7/],
  ])("%s", async (plant, problem) => {
    for (let seed = 1; seed <= plantedSeedsMax; seed += 1) {
      const { failure } = await simulate(seed, { plant });
      if (failure === undefined) continue;
      expect(failure.problem).toMatch(problem);
      return;
    }
    expect.fail(`not within ${plantedSeedsMax} seeds`);
  });
});
