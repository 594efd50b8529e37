import { describe, expect, it } from "vitest";
import { StartCost } from "./start-cost.ts";

const prompt = "x".repeat(4000); // a thousand tokens

describe("the first turn of a client", () => {
  it("counts without the client's own input", () => {
    const cost = new StartCost(prompt);
    expect(cost.counted({ tokens: 20_150, input: 20_000 })).toBe(1150);
  });

  it("is the only turn that is corrected", () => {
    const cost = new StartCost(prompt);
    cost.counted({ tokens: 20_000, input: 20_000 });
    expect(cost.counted({ tokens: 9050, input: 9000 })).toBe(9050);
  });

  it("begins with the first input; earlier tokens count", () => {
    const cost = new StartCost(prompt);
    expect(cost.counted({ tokens: 30 })).toBe(30);
    expect(cost.counted({ tokens: 40, input: 0 })).toBe(40);
    expect(cost.counted({ tokens: 5000, input: 5000 })).toBe(1000);
  });

  it("counts in full if it read no more than the prompt, for example from a cache", () => {
    expect(new StartCost(prompt).counted({ tokens: 320, input: 300 })).toBe(320);
  });

  it("is estimated if a client reports several turns together", () => {
    expect(new StartCost(prompt).counted({ tokens: 40_400, input: 40_000, turns: 4 })).toBe(31_400);
  });
});
