import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge, memoryPorts } from "../../../test/support/judge.ts";
import * as postExecution from "../points/post-execution.ts";
import {
  delegation,
  fieldOf,
  large,
  largeInBytes,
  many,
  read,
  resultOf,
  task,
} from "./submission-samples.ts";

describe("a delegation's output", () => {
  const evidence = "testOutput: 2 passed";
  const checks = task.criteria.map((criterion) => ({ criterion, status: "pass", evidence }));

  it("becomes a result that answers each criterion", () => {
    expect(read(delegation)).toEqual({
      kind: "result",
      status: "done",
      result: {
        status: "done",
        changes: [
          { resource: "src/new.ts", action: "create" },
          { resource: "src/a.ts", action: "edit" },
        ],
        acceptance_check: checks,
        worklog_path: task.worklogPath,
        notes_for_orchestrator: [],
      },
      agentForm: false,
      claims: checks,
      reason: undefined,
    });
  });

  it("may be wrapped and may ask for a review", () => {
    expect(resultOf({ result: { ...delegation, status: "needs_review" } })).toMatchObject({ status: "done" });
  });

  it("that is blocked claims nothing and gives its reason", () => {
    expect(read({ status: "blocked", blockers: ["no key", "no network"] })).toMatchObject({
      status: "blocked",
      result: { changes: [], acceptance_check: [], notes_for_orchestrator: ["no key", "no network"] },
      claims: [],
      reason: "no key",
    });
  });

  it("shows a bounded part of each output", () => {
    const outputs = { testOutput: large, lintOutput: "😀".repeat(5000), buildOutput: "built" };
    const [claim] = resultOf({ ...delegation, evidence: outputs }).claims;
    expect(claim?.evidence).toMatch(/^testOutput: x+…x+\nlintOutput: .+\nbuildOutput: built$/u);
    expect(claim?.evidence.length).toBeLessThan(2200);
    expect(claim?.evidence.isWellFormed()).toBe(true);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no deliverable", { deliverable: undefined }, "deliverable"],
    ["a malformed deliverable", { deliverable: ["src/a.ts"] }, "deliverable"],
    ["files that are not a list", { "deliverable.filesCreated": "src/a.ts" }, "deliverable.filesCreated"],
    ["a blank file", { "deliverable.filesModified": [" "] }, "deliverable.filesModified"],
    ["too many files", { "deliverable.filesModified": many("a") }, "deliverable.filesModified"],
    ["a large path", { "deliverable.filesCreated": [large] }, "deliverable.filesCreated"],
    ["an unclear answer", { "deliverable.testsPassing": { all: true } }, "deliverable.testsPassing"],
    ["a long answer", { "deliverable.testsPassing": `${large} failed` }, "deliverable.testsPassing"],
    ["a longer list of tests", { "deliverable.testsPassing": many("a") }, "deliverable.testsPassing"],
    ["evidence in one text", { evidence: "all is fine" }, "evidence"],
    ["evidence that is not a text", { "evidence.testOutput": 3 }, "evidence.testOutput"],
    ["blockers that are not a list", { blockers: "none" }, "blockers"],
    ["a large blocker", { blockers: [largeInBytes] }, "blockers"],
    ["another task", { taskId: "T-2" }, "taskId"],
    ["a task that is not a text", { taskId: 1 }, "taskId"],
  ])("with %s is refused by that field", (_, changes, field) => {
    expect(fieldOf(altered(delegation, changes))).toBe(field);
    expect(fieldOf({ result: altered(delegation, changes) })).toBe(`result.${field}`);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["as it is", {}, "OK"],
    ["with lists of tests", { "deliverable.testsAdded": ["a"], "deliverable.testsPassing": ["a"] }, "OK"],
    ["without a statement on tests", { "deliverable.testsPassing": undefined }, "OK"],
    ["with tests that fail", { "deliverable.testsPassing": false }, "R-PC-002"],
    ["with fewer tests passing", { "deliverable.testsPassing": 1 }, "R-PC-002"],
    ["with a text for it", { "deliverable.testsPassing": "1 of 2" }, "R-PC-002"],
    ["without evidence", { evidence: undefined }, "R-PC-003"],
    ["with blank evidence", { "evidence.testOutput": "\n" }, "R-PC-003"],
    ["with a file outside the scope", { "deliverable.filesCreated": ["lib/a.ts"] }, "R-PO-002"],
    ["blocked", { status: "blocked", evidence: undefined }, "OK"],
  ])("%s gets the right verdict", async (_, changes, code) => {
    const { result } = resultOf(altered(delegation, changes));
    const assignment = {
      lock_scope: ["src"],
      forbidden_scope: [],
      acceptance_criteria: task.criteria,
      worklog_path: task.worklogPath,
    };
    const ports = memoryPorts({ "/repo/worklogs/T-1.md": "x" });
    const verdict = await judge(postExecution, { task_id: task.id, result, assignment }, ports);
    expect(verdict.code).toBe(code);
  });
});
