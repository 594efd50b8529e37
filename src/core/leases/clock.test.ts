import { describe, expect, it } from "vitest";
import { type Clock, shifted } from "./clock.ts";

describe("a shifted clock", () => {
  it("moves wall and monotonic time alike, and stays in the same boot", () => {
    const clock: Clock = { now: () => ({ wallMs: 5000, monoMs: 70, boot: "b" }) };
    expect(shifted(clock, 1000).now()).toEqual({ wallMs: 6000, monoMs: 1070, boot: "b" });
    expect(shifted(clock, -20).now()).toEqual({ wallMs: 4980, monoMs: 50, boot: "b" });
  });

  it("advances with the underlying clock", () => {
    let monoMs = 0;
    const clock = shifted({ now: () => ({ wallMs: 0, monoMs, boot: "b" }) }, 10);
    monoMs = 7;
    expect(clock.now().monoMs).toBe(17);
  });
});
