import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SelfFence } from "./self-fence.ts";

describe("an agent whose lease cannot be renewed", () => {
  it.each<[string, number, number, boolean]>([
    ["works right after its start", 60_000, 0, false],
    ["works for three quarters of a short lease", 8000, 5999, false],
    ["stops at three quarters of a short lease", 8000, 6000, true],
    ["works until ten seconds before the end of a lease", 100_000, 89_999, false],
    ["stops ten seconds before the end of a lease", 100_000, 90_000, true],
    ["works until ten seconds before its machine counts as dead", 600_000, 109_999, false],
    ["stops ten seconds before its machine counts as dead", 600_000, 110_000, true],
  ])("%s", (_, leaseMs, atMs, stops) => {
    expect(new SelfFence(1000, leaseMs).mustStop(1000 + atMs)).toBe(stops);
  });

  it("continues without output as long as its machine renews and its lease lasts", () => {
    const fence = new SelfFence(0, 600_000);
    for (let atMs = 60_000; atMs < 590_000; atMs += 60_000) {
      fence.heard(atMs);
      expect(fence.mustStop(Math.min(atMs + 109_999, 589_999))).toBe(false);
    }
    expect(fence.mustStop(590_000)).toBe(true);
  });

  it("counts from the last renewal that was sent, in whatever order the answers arrive", () => {
    const fence = new SelfFence(0, 60_000);
    fence.renewed(30_000);
    fence.renewed(10_000);
    expect(fence.mustStop(79_999)).toBe(false);
    expect(fence.mustStop(80_000)).toBe(true);
  });

  it("stops before the lease ends in the ledger, which counts from the arrival of the renewal", () => {
    const ms = fc.integer({ min: 1, max: 3_600_000 });
    fc.assert(
      fc.property(ms, ms, fc.integer({ min: 0, max: 5000 }), (sentMs, leaseMs, delayMs) => {
        const fence = new SelfFence(sentMs, leaseMs);
        expect(fence.mustStop(sentMs + delayMs + leaseMs)).toBe(true);
      }),
    );
  });
});
