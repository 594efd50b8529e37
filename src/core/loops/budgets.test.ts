import { describe, expect, it } from "vitest";
import { addCost, amountOf, findBreaches } from "./budgets.ts";

const limits = { tokens: { warn: 35_000, halt: 50_000 }, cost_usd: { warn: 1, halt: 2 } };
const found = (tokens: number, cost: number | null, of: Parameters<typeof findBreaches>[1] = limits) => {
  const { halted, warned } = findBreaches({ tokens, cost_usd: cost }, of);
  return [halted?.signal ?? null, warned.map(({ signal }) => signal)];
};

describe("a budget", () => {
  it.each<[number, number | null, string | null, readonly string[]]>([
    [34_999, null, null, []],
    [35_000, null, null, ["tokens"]],
    [49_999, 0.99, null, ["tokens"]],
    [50_000, null, "tokens", ["tokens"]],
    [0, 1, null, ["cost_usd"]],
    [0, 2, "cost_usd", ["cost_usd"]],
    [50_000, 2, "tokens", ["tokens", "cost_usd"]],
  ])("of %i tokens and %s dollars is reached at its number", (tokens, cost, halted, warned) => {
    expect(found(tokens, cost)).toEqual([halted, warned]);
  });

  it("that is not set is never reached", () => {
    const none = { warn: null, halt: null };
    expect(found(1e9, 1e9, { tokens: none, cost_usd: none })).toEqual([null, []]);
  });

  it("in dollars adds up exactly", () => {
    let sum: number | null = null;
    for (let at = 0; at < 10; at += 1) sum = addCost(sum, 0.1);
    expect(sum).toBe(1);
    expect([addCost(null, undefined), addCost(0.7, 0.1)]).toEqual([null, 0.8]);
    expect(amountOf({ signal: "cost_usd", amount: 0.8 })).toBe("$0.8");
  });
});
