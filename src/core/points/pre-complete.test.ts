import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge } from "../../../test/support/judge.ts";
import * as preComplete from "./pre-complete.ts";

const pass = { criterion: "tests pass", status: "pass", evidence: "pytest tests/test_a.py" };
const claim = { task_id: "T-123", acceptance_check: [pass], required_criteria: ["tests pass"] };
const checks = (...list: unknown[]) => ({ acceptance_check: list });

describe("completion", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["the specification's example", {}, "OK"],
    ["no task id", { task_id: undefined }, "R-PC-001"],
    ["no checks", { acceptance_check: undefined }, "R-PC-001"],
    ["checks that are not a list", { acceptance_check: pass }, "R-PC-001"],
    ["an empty list of checks", { acceptance_check: [], required_criteria: [] }, "R-PC-001"],
    ["a check that is a text", checks("tests pass"), "R-PC-001"],
    ["a check without criterion", checks({ status: "pass", evidence: "x" }), "R-PC-001"],
    ["no required criteria", { required_criteria: undefined }, "R-PC-001"],
    ["required criteria as a text", { required_criteria: "tests pass" }, "R-PC-001"],
    ["a blank required criterion", { required_criteria: [""] }, "R-PC-001"],
    ["nothing required, something shown", { required_criteria: [] }, "OK"],
    ["one criterion missing", { required_criteria: ["tests pass", "lint clean"] }, "R-PC-001"],
    ["a criterion in other words", { required_criteria: ["Tests pass"] }, "R-PC-001"],
    ["a failed criterion", checks({ ...pass, status: "fail" }), "R-PC-002"],
    ["a criterion without status", checks({ ...pass, status: null }), "R-PC-002"],
    ["a status in another case", checks({ ...pass, status: "Pass" }), "R-PC-002"],
    ["a duplicate that failed", checks(pass, { ...pass, status: "fail" }), "R-PC-002"],
    [
      "a failed criterion that was not required",
      checks(pass, { ...pass, criterion: "x", status: "fail" }),
      "R-PC-002",
    ],
    ["no evidence", checks({ criterion: "tests pass", status: "pass" }), "R-PC-003"],
    ["blank evidence", checks({ ...pass, evidence: " \t" }), "R-PC-003"],
    ["evidence of the wrong type", checks({ ...pass, evidence: ["log"] }), "R-PC-003"],
    [
      "a missing one before a failed one",
      { ...checks({ ...pass, status: "fail" }), required_criteria: ["x"] },
      "R-PC-001",
    ],
    [
      "a failed one before an unproven one",
      checks({ ...pass, evidence: "" }, { ...pass, status: "fail" }),
      "R-PC-002",
    ],
  ])("%s: %o gives %s", async (_, changes, code) => {
    expect((await judge(preComplete, altered(claim, changes))).code).toBe(code);
  });

  it("lists every criterion that is missing", async () => {
    const payload = altered(claim, { required_criteria: ["a", "tests pass", "b"] });
    expect((await judge(preComplete, payload)).details).toEqual({ criterion: "a", missing: ["a", "b"] });
  });
});
