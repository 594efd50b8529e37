import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pointNames } from "../../src/core/points/points.ts";
import { mutatedCall } from "../support/mutated-payloads.ts";
import { isRuleCode, verdictOf } from "../support/verdict-of.ts";

const anyPoint = fc.constantFrom(...pointNames);

function expectVerdict(verdict: Awaited<ReturnType<typeof verdictOf>>): void {
  expect(verdict.reason).toMatch(/^[^\n\r]{1,500}$/);
  expect(JSON.parse(JSON.stringify(verdict))).toBeTypeOf("object");
  if (verdict.allow) expect(verdict.code).toBe("OK");
  else {
    expect(isRuleCode(verdict.code)).toBe(true);
    expect(verdict.code).not.toBe("E-INTERNAL");
    expect(verdict.details).toBeTypeOf("object");
  }
}

describe("a hook answers every input with a verdict", () => {
  it("for random bytes", async () => {
    await fc.assert(
      fc.asyncProperty(anyPoint, fc.uint8Array({ maxLength: 300 }), async (point, bytes) => {
        expectVerdict(await verdictOf(point, bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it("for random JSON", async () => {
    await fc.assert(
      fc.asyncProperty(anyPoint, fc.json({ maxDepth: 6 }), async (point, text) => {
        expectVerdict(await verdictOf(point, text));
      }),
      { numRuns: 3000 },
    );
  });

  it("for random names of points", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (name) => {
        expectVerdict(await verdictOf(name, "{}"));
      }),
      { numRuns: 1000 },
    );
  });

  it("for valid payloads with random changes", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(mutatedCall, async ({ point, payload }) => {
        const verdict = await verdictOf(point, JSON.stringify(payload));
        expectVerdict(verdict);
        seen.add(verdict.code);
      }),
      { numRuns: 8000 },
    );
    // The changes must reach most of the rules, or they would show little.
    expect(seen.size).toBeGreaterThan(20);
  });
});
