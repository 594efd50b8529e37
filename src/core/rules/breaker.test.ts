import { expect, it } from "vitest";
import { whyStopped } from "./breaker.ts";

it.each([
  ["CLEAR", "start", undefined],
  ["CLEAR", "write", undefined],
  ["PAUSE", "start", "all work is paused: wait until a person runs `lockstep clear`"],
  ["PAUSE", "write", undefined],
  ["STOP", "start", "all work is stopped: wait until a person runs `lockstep clear`"],
  ["STOP", "write", "all work is stopped: wait until a person runs `lockstep clear`"],
] as const)("%s, before a %s: %s", (mode, act, reason) => {
  expect(whyStopped({ mode }, act)?.reason).toBe(reason);
});

it("repeats the reason and the time, if they are known", () => {
  expect(
    whyStopped({ mode: "STOP", reason: "a leak", since: "2026-01-01T00:00:00Z" }, "write"),
  ).toMatchObject({
    code: "R-CB-001",
    reason: "all work is stopped (a leak): wait until a person runs `lockstep clear`",
    details: { mode: "STOP", since: "2026-01-01T00:00:00Z" },
  });
});
