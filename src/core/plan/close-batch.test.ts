import { describe, expect, it } from "vitest";
import { batchClosesAtMs } from "./close-batch.ts";

describe("a batch", () => {
  it.each<[string, number, number, number]>([
    ["waits for its other tasks as long as the finished ones took", 0, 60_000, 120_000],
    ["waits from when it began, not from the epoch", 1_000_000, 1_060_000, 1_120_000],
    ["of quick tasks waits half a minute", 0, 500, 30_500],
  ])("%s", (_, startedMs, readyMs, closesMs) => {
    expect(batchClosesAtMs({ startedMs, readyMs })).toBe(closesMs);
  });
});
