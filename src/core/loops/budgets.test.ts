import { describe, expect, it } from "vitest";
import {
  addCost,
  amountOf,
  atLeast,
  type BudgetSignal,
  endingAt,
  findBreaches,
  readAmount,
  type Threshold,
} from "./budgets.ts";

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
  ])("of %i tokens and %s dollars is reached exactly at the limit", (tokens, cost, halted, warned) => {
    expect(found(tokens, cost)).toEqual([halted, warned]);
  });

  it("without a limit is never reached", () => {
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

describe("a budget with another limit", () => {
  it.each<[number | null, ReturnType<typeof endingAt>]>([
    [50_000, { warn: 35_000, halt: 50_000 }],
    [100_000, { warn: 70_000, halt: 100_000 }],
    [10, { warn: 7, halt: 10 }],
    [null, { warn: 35_000, halt: null }],
  ])("of %s warns at the same fraction of it", (end, expected) =>
    expect(endingAt({ warn: 35_000, halt: 50_000 } as Threshold, end)).toEqual(expected),
  );

  it("applies if a person raised the limit, not if a person lowered it", () => {
    expect(atLeast(limits.tokens, 60_000)).toEqual({ warn: 42_000, halt: 60_000 });
    for (const allowed of [undefined, 10, 50_000])
      expect(atLeast(limits.tokens, allowed)).toBe(limits.tokens);
    const none = { warn: null, halt: null };
    expect(atLeast(none, 60_000)).toBe(none);
  });
});

describe("an amount that a person types", () => {
  it.each<[string, BudgetSignal, number]>([
    ["20000", "tokens", 20_000],
    ["20k", "tokens", 20_000],
    ["20k more tokens", "tokens", 20_000],
    ["1 token", "tokens", 1],
    ["30", "minutes", 30],
    ["0.5", "minutes", 0.5],
    ["30 min", "minutes", 30],
    ["45 more minutes", "minutes", 45],
    ["$2.50", "cost_usd", 2.5],
    ["2 usd", "cost_usd", 2],
  ])("%j is an amount of %s", (text, signal, amount) => expect(readAmount(text, signal)).toBe(amount));

  it.each<[string, BudgetSignal]>([
    ["", "tokens"],
    ["much", "tokens"],
    ["0", "tokens"],
    ["-5", "tokens"],
    ["1.5", "tokens"],
    ["30 minutes", "tokens"],
    ["20000 tokens", "minutes"],
    ["9".repeat(400), "tokens"],
  ])("%j is not an amount of %s", (text, signal) => expect(readAmount(text, signal)).toBeUndefined());
});
