import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Moment } from "./clock.ts";
import { ageSeconds, expiresAt, hasLapsed, type Lease } from "./lease.ts";

const lease: Lease = { boot: "b", beatMs: 100_000, timeoutSeconds: 60 };
const wallMs = Date.parse("2026-02-14T20:00:00Z");
const at = (monoMs: number, more: Partial<Moment> = {}): Moment => ({ wallMs, monoMs, boot: "b", ...more });

describe("the age of a lease", () => {
  it.each<[string, Moment, number]>([
    ["is counted from the last heartbeat", at(130_500), 30.5],
    ["does not depend on the wall clock", at(130_500, { wallMs: 0 }), 30.5],
    ["is endless after a reboot", at(130_500, { boot: "c" }), Infinity],
    ["is endless after a reboot even if the new boot's time is lower", at(5, { boot: "c" }), Infinity],
  ])("%s", (_, now, age) => {
    expect(ageSeconds(lease, now)).toBe(age);
  });
});

describe("a lease has lapsed", () => {
  it.each<[string, Moment, number | undefined, boolean]>([
    ["right after the heartbeat", at(100_000), undefined, false],
    ["at exactly the timeout", at(160_000), undefined, false],
    ["a millisecond later", at(160_001), undefined, true],
    ["seen by a clock put back before the heartbeat", at(1), undefined, false],
    [
      "after the wall clock jumped a day ahead",
      at(130_000, { wallMs: wallMs + 86_400_000 }),
      undefined,
      false,
    ],
    ["after the wall clock went back an hour", at(160_001, { wallMs: wallMs - 3_600_000 }), undefined, true],
    ["after a reboot", at(100_000, { boot: "c" }), undefined, true],
    ["with a grace that gives a full lease", at(260_000), 200_000, false],
    ["when the grace is over too", at(260_001), 200_000, true],
    ["with a grace that is older than the heartbeat", at(160_001), 50_000, true],
    ["with a grace that is older than a fresh heartbeat", at(160_000), 50_000, false],
    ["after a reboot, with any grace", at(100_000, { boot: "c" }), 100_000, true],
  ])("%s", (_, now, notBeforeMs, lapsed) => {
    expect(hasLapsed(lease, now, notBeforeMs)).toBe(lapsed);
  });

  it("never becomes valid again, and ignores the wall clock", () => {
    const whole = fc.integer({ min: 0, max: 1e9 });
    const property = fc.property(whole, whole, whole, whole, fc.integer(), (...numbers) => {
      const [beatMs, timeoutSeconds, monoMs, laterMs, anyWallMs] = numbers;
      const one: Lease = { boot: "b", beatMs, timeoutSeconds };
      const now = at(monoMs);
      expect(hasLapsed(one, { ...now, wallMs: anyWallMs })).toBe(hasLapsed(one, now));
      if (hasLapsed(one, now)) expect(hasLapsed(one, at(monoMs + laterMs))).toBe(true);
      expect(hasLapsed(one, at(beatMs + timeoutSeconds * 1000))).toBe(false);
      expect(hasLapsed(one, at(beatMs + timeoutSeconds * 1000 + 1))).toBe(true);
    });
    fc.assert(property);
  });
});

describe("the end of a lease, for display", () => {
  it.each<[string, Lease, Moment, string]>([
    ["is the current time plus the rest", lease, at(130_000), "2026-02-14T20:00:30.000Z"],
    ["is in the past once it has lapsed", lease, at(170_000), "2026-02-14T19:59:50.000Z"],
    ["is now for a lease of another boot", lease, at(1, { boot: "c" }), "2026-02-14T20:00:00.000Z"],
    [
      "is the last possible day if the timeout is longer than that",
      { ...lease, timeoutSeconds: Number.MAX_SAFE_INTEGER },
      at(1),
      "+275760-09-13T00:00:00.000Z",
    ],
  ])("%s", (_, one, now, text) => {
    expect(expiresAt(one, now)).toBe(text);
  });
});
