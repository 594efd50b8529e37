import { describe, expect, it } from "vitest";
import { type CheckKind, type CheckRun, judgeCheck } from "./check-record.ts";

const ran = (exit: number | null): CheckRun => ({ exit, seconds: 1, digest: "sha256:0", tail: "" });

describe("a check", () => {
  it.each<[CheckKind, number | null | undefined, number | null, number | null | undefined, string]>([
    ["project", 0, 0, undefined, "pass"],
    ["project", 0, 1, 1, "fail"],
    ["project", 0, 1, 0, "flaky"],
    ["project", 0, null, null, "fail"],
    ["acceptance", 1, 0, undefined, "pass"],
    ["acceptance", 0, 0, undefined, "pass"],
    ["acceptance", undefined, 1, undefined, "fail"],
    ["proves", 1, 0, undefined, "pass"],
    ["proves", null, 0, undefined, "pass"],
    ["proves", 0, 0, undefined, "vacuous"],
    ["proves", 0, 1, 1, "fail"],
    ["proves", 1, 1, 0, "flaky"],
  ])("(%s) that ended with %s on the base, %s and then %s is %s", (kind, before, after, again, outcome) => {
    const run = (exit: number | null | undefined) => (exit === undefined ? null : ran(exit));
    expect(judgeCheck({ kind, before: run(before), after: ran(after), again: run(again) })).toBe(outcome);
  });
});
