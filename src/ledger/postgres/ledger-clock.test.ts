import { describe, expect, it } from "vitest";
import { LedgerClock } from "./ledger-clock.ts";

function clockAt(startMs = 0) {
  const local = { ms: startMs };
  const clock = new LedgerClock(() => local.ms);
  return { clock, local };
}

describe("the ledger's clock", () => {
  it("continues from the server's time with the machine's own clock", () => {
    const { clock, local } = clockAt(5);
    clock.set({ ms: 1_000_000, graceMs: 0 });
    local.ms += 250;
    expect(clock.now()).toEqual({ wallMs: 1_000_250, monoMs: 1_000_250, boot: "ledger", graceMs: 0 });
  });

  it("never goes back, even if the server reports an earlier time", () => {
    const { clock, local } = clockAt();
    clock.set({ ms: 1_000_000, graceMs: 0 });
    local.ms += 900;
    expect(clock.now().monoMs).toBe(1_000_900);
    clock.set({ ms: 1_000_100, graceMs: 0 });
    expect(clock.now().monoMs).toBe(1_000_900);
  });

  it("is fresh for a second, and not after the connection was lost", () => {
    const { clock, local } = clockAt();
    expect(clock.isFresh).toBe(false);
    clock.set({ ms: 1, graceMs: 0 });
    local.ms += 999;
    expect(clock.isFresh).toBe(true);
    local.ms += 1;
    expect(clock.isFresh).toBe(false);
    clock.set({ ms: 1000, graceMs: 0 });
    clock.distrust();
    expect([clock.isFresh, clock.isTrusted]).toEqual([false, false]);
    clock.set({ ms: 1001, graceMs: 1001 });
    expect(clock.isFresh).toBe(true);
    expect(clock.now().graceMs).toBe(1001);
  });

  it("has no time before the server has reported one", () => {
    expect(() => clockAt().clock.now()).toThrow("not known yet");
  });
});
