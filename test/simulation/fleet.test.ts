import { describe, expect, it } from "vitest";
import { type FleetPlant, simulateFleet } from "./fleet.ts";

const seedsMax = 60;
const plantedSeedsMax = 60;

describe("several machines over one ledger, with skew, cut networks, freezes and restarts", () => {
  it("stay isolated, lose no lease that they renew, and have one integrator at a time", async () => {
    const met = new Map<string, number>();
    for (let seed = 1; seed <= seedsMax; seed += 1) {
      const outcome = await simulateFleet(seed);
      if (outcome.problem !== undefined)
        expect.fail([...outcome.trace, `seed ${seed}: ${outcome.problem}`].join("\n"));
      for (const [what, times] of outcome.met) met.set(what, (met.get(what) ?? 0) + times);
    }
    const wanted = [
      "started",
      "ended",
      "landed",
      "replaced",
      "unreachable",
      "restart",
      "jump",
      "wake",
      "lose answer",
    ];
    expect(wanted.filter((what) => !met.has(what))).toEqual([]);
  });

  it("behave the same for the same seed", async () => {
    expect((await simulateFleet(5)).trace).toEqual((await simulateFleet(5)).trace);
  });

  it.each<[FleetPlant, RegExp]>([
    ["no-self-fence", /INV-1/],
    ["only-own-lease", /INV-1/],
    ["own-wall-clock", /INV-1|renewed it in time/],
    ["elsewhere-is-dead", /renewed it in time|INV-1/],
    ["no-grace", /renewed it in time|INV-1/],
    ["no-role-epoch", /landed/],
  ])("show the planted bug %s", async (plant, problem) => {
    for (let seed = 1; seed <= plantedSeedsMax; seed += 1) {
      const outcome = await simulateFleet(seed, plant);
      if (outcome.problem === undefined) continue;
      expect(outcome.problem).toMatch(problem);
      return;
    }
    expect.fail(`not within ${plantedSeedsMax} seeds`);
  });
});
