import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { escalation, fieldOf, large, many, read } from "./submission-samples.ts";

describe("an escalation", () => {
  it("is read in both spellings", () => {
    const expected = { kind: "escalation", ...escalation.escalation };
    expect(read(escalation)).toEqual(expected);
    const { attemptedPaths, ...rest } = escalation.escalation;
    expect(read({ escalation: { ...rest, attempted_paths: attemptedPaths } })).toEqual(expected);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["the task of the call", { taskId: undefined }, { taskId: "T-1" }],
    ["its first blocker as the reason", { reason: undefined }, { reason: "no token" }],
    ["a reason without blockers", { blockers: [] }, { blockers: [], reason: "no access" }],
    ["nothing that it tried", { attemptedPaths: [] }, { attemptedPaths: [] }],
  ])("may have %s", (_, changes, expected) =>
    expect(read({ escalation: altered(escalation.escalation, changes) })).toMatchObject(expected),
  );

  it.each<[string, Record<string, unknown>, string]>([
    ["neither reason nor blocker", { reason: undefined, blockers: [] }, "reason"],
    ["no list of blockers", { blockers: undefined }, "blockers"],
    ["a blank blocker", { blockers: [" "] }, "blockers"],
    ["no list of its attempts", { attemptedPaths: undefined }, "attemptedPaths"],
    ["a path that is not a text", { attemptedPaths: [1] }, "attemptedPaths"],
    ["too many paths", { attemptedPaths: many("x") }, "attemptedPaths"],
    ["a malformed list in the other spelling", { attempted_paths: "x" }, "attempted_paths"],
    ["a large reason", { reason: large }, "reason"],
    ["another task", { taskId: "T-2" }, "taskId"],
  ])("with %s is refused by that field", (_, changes, field) =>
    expect(fieldOf({ escalation: altered(escalation.escalation, changes) })).toBe(`escalation.${field}`),
  );
});
