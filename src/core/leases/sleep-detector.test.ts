import { describe, expect, it } from "vitest";
import { sleptBetween } from "./sleep-detector.ts";

const hourMs = 3_600_000;

describe("a watchdog that ticks every 5 s slept between two ticks", () => {
  it.each<[string, { monoMs: number; wallMs: number }, boolean]>([
    ["in time", { monoMs: 5000, wallMs: 5000 }, false],
    ["late by as much as is allowed", { monoMs: 11_000, wallMs: 11_000 }, false],
    ["stopped for longer", { monoMs: 11_001, wallMs: 11_001 }, true],
    ["stopped for longer, with the wall clock put back", { monoMs: 11_001, wallMs: -hourMs }, true],
    ["asleep with a monotonic time that stopped", { monoMs: 5000, wallMs: 5000 + hourMs }, true],
    ["a wall clock ahead by as much as is allowed", { monoMs: 5000, wallMs: 16_000 }, false],
    ["a wall clock ahead by more", { monoMs: 5000, wallMs: 16_001 }, true],
    ["a wall clock that stepped back an hour", { monoMs: 5000, wallMs: 5000 - hourMs }, false],
  ])("%s", (_, gap, slept) => {
    const previous = { wallMs: 1_700_000_000_000, monoMs: 90_000, boot: "b" };
    const now = { wallMs: previous.wallMs + gap.wallMs, monoMs: previous.monoMs + gap.monoMs, boot: "b" };
    expect(sleptBetween(previous, now, 5000)).toBe(slept);
  });
});
