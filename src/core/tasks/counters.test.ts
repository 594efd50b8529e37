import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noRetries, type RetryBudget, retryLimits, spendRepair, spendRetry } from "./counters.ts";

const plain = (Object.keys(retryLimits) as RetryBudget[]).filter((name) => name !== "repair_loops");

describe("the seven retry budgets", () => {
  it("are those of the specification", () => {
    expect(retryLimits).toEqual({
      block_retries: 1,
      review_retries: 3,
      repair_loops: 3,
      dispatch_retries: 2,
      remediation: 1,
      persist_retries: 3,
      gate_reasks: 3,
    });
  });

  it.each(plain)("%s can be spent exactly up to its limit, and changes no other", (budget) => {
    let counters = noRetries;
    for (let spent = 1; spent <= retryLimits[budget]; spent += 1) {
      counters = spendRetry(counters, budget) ?? noRetries;
      expect(counters).toEqual({ ...noRetries, [budget]: spent });
    }
    expect(spendRetry(counters, budget)).toBeUndefined();
  });

  it("repair loops are counted separately, under any name", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("FIX_REVIEW", "FIX_TESTS", "__proto__", "constructor")),
        (loops) => {
          let counters = noRetries;
          const model = new Map<string, number>();
          for (const loop of loops) {
            const next = spendRepair(counters, loop);
            expect(next === undefined).toBe((model.get(loop) ?? 0) >= 3);
            if (next === undefined) continue;
            counters = next;
            model.set(loop, (model.get(loop) ?? 0) + 1);
          }
        },
      ),
    );
  });
});
