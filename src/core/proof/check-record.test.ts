import { describe, expect, it } from "vitest";
import { type CheckKind, type CheckRun, failedRun, judgeCheck, withoutLogs } from "./check-record.ts";

const ran = (exit: number | null): CheckRun => ({ exit, seconds: 1, digest: "sha256:0", tail: "" });

const earlier = { ...ran(1), at: "2026-02-14T20:00:00.000Z" };

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

  it.each<[CheckKind, string]>([
    ["project", "flaky"],
    ["acceptance", "flaky"],
    ["proves", "flaky"],
  ])("(%s) that passes on a tree on which it failed before is %s", (kind, outcome) => {
    const after = { ...ran(0), earlier };
    expect(judgeCheck({ kind, before: ran(0), after, again: null })).toBe(outcome);
  });

  it("that is flaky on the base and passed there proves nothing, and its failure on the merge counts", () => {
    const before = { ...ran(0), earlier };
    expect(judgeCheck({ kind: "proves", before, after: ran(0), again: null })).toBe("vacuous");
    expect(judgeCheck({ kind: "project", before, after: ran(0), again: null })).toBe("pass");
    expect(judgeCheck({ kind: "project", before, after: ran(1), again: ran(1) })).toBe("fail");
  });
});

describe("the failure that represents a check", () => {
  const failed = (log: string) => ({ ...ran(1), log });
  it.each<[string, Parameters<typeof failedRun>[0], string | undefined]>([
    ["its own", { before: failed("b"), after: failed("a"), again: failed("c") }, "a"],
    [
      "the first run of a flaky one, not the pass",
      { before: ran(0), after: failed("a"), again: ran(0) },
      "a",
    ],
    [
      "the one before the pass",
      { before: ran(0), after: { ...ran(0), earlier: { ...failed("e"), at: "" } }, again: null },
      "e",
    ],
    ["that on the base, if it passes now", { before: failed("b"), after: ran(0), again: null }, "b"],
    ["missing without a failure", { before: null, after: ran(0), again: null }, undefined],
  ])("is %s", (_name, runs, log) => {
    expect(failedRun(runs)?.log).toBe(log);
  });

  it("is shared with other machines without its files", () => {
    const record = {
      kind: "proves" as const,
      before: { ...failed("b"), excerpt: "x" },
      after: { ...ran(0), earlier: { ...failed("e"), at: "t" } },
      again: null,
    };
    expect(withoutLogs(record)).toEqual({
      kind: "proves",
      before: ran(1),
      after: { ...ran(0), earlier: { ...ran(1), at: "t" } },
      again: null,
    });
  });
});
