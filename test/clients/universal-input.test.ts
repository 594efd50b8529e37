import { describe, expect, it } from "vitest";
import { findAnswer } from "../../src/clients/answer/find-answer.ts";
import { readAnswer } from "../../src/clients/answer/read-answer.ts";
import { promptFor, promptToFix } from "../../src/clients/input/prompt.ts";
import {
  type AttemptFacts,
  assignmentOf,
  type PlannedTask,
  universalInput,
} from "../../src/clients/input/universal-input.ts";
import { preDispatch } from "../../src/contract/payloads.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const task: PlannedTask = {
  id: "T-001",
  title: "Price rounding",
  goal: "Round prices half-even to two digits",
  lock_scope: ["src/price", "test/price.test.ts"],
  forbidden_scope: ["src/price/table.ts"],
  acceptance_checks: ["cmd: npm test"],
  timeout_seconds: 900,
  heartbeat_interval_seconds: 60,
  context_files: [".agents-work/s/spec.md"],
  non_goals: ["other currencies"],
  constraints: ["no new dependency"],
  risk_flags: ["perf"],
};
const assignment = assignmentOf(task, ".agents-work/s/worklogs/T-001.md");
const facts: AttemptFacts = {
  assignment,
  attempt: 1,
  fixDelta: null,
  branch: "main",
  projectType: "lib",
  role: "Coder",
};
const fixDelta = {
  code: "R-PC-002",
  reason: "`npm test` failed",
  guidance: "make it pass",
  details: { exit: 1 },
  previous_ref: "refs/lockstep/s/T-001/1",
};

describe("an assignment", () => {
  it("is valid for a dispatch", () => {
    const packet = { task_id: task.id, assignment, active_locks: [] };
    expect(preDispatch.safeParse(packet)).toMatchObject({ success: true });
  });

  it("expects the evidence that the task names, or else that of its checks", () => {
    expect(assignment.evidence).toEqual(["cmd: npm test"]);
    expect(assignmentOf({ ...task, evidence: ["output"] }, "w").evidence).toEqual(["output"]);
  });
});

describe("the universal input", () => {
  it("has every field of the contract, and the additions of Lockstep", () => {
    expect(universalInput(task, facts)).toEqual({
      role: "Coder",
      task: {
        id: "T-001",
        title: "Price rounding",
        goal: task.goal,
        non_goals: ["other currencies"],
        context_files: [".agents-work/s/spec.md"],
        session_changed_files: [],
        constraints: ["no new dependency"],
        acceptance_checks: ["cmd: npm test"],
        risk_flags: ["perf"],
        done_when: [],
        files_expected: [],
      },
      project_type: "lib",
      repo_state: { branch: "main", ci_status: "unknown", last_failed_step: null },
      tools_available: ["read_file", "write_file", "apply_patch", "run_cmd", "search_repo"],
      artifact_list: [],
      checklist: [],
      assignment,
      attempt: 1,
      fix_delta: null,
      worklog_path: ".agents-work/s/worklogs/T-001.md",
    });
  });

  it("has empty lists for missing parts of the plan, and the risk `none`", () => {
    const { non_goals: _1, context_files: _2, constraints: _3, risk_flags: _4, ...bare } = task;
    expect(universalInput(bare, facts).task).toMatchObject({
      ...{ non_goals: [], context_files: [], constraints: [], risk_flags: ["none"] },
    });
  });

  it("names the changed files for a Reviewer only, and the fix for another attempt", () => {
    const changedFiles = [{ path: "src/b.ts", old_path: "src/a.ts", change_type: "renamed" }] as const;
    const input = universalInput(task, { ...facts, role: "Reviewer", attempt: 2, fixDelta, changedFiles });
    expect(input.task.session_changed_files).toEqual(changedFiles);
    expect(input).toMatchObject({ attempt: 2, fix_delta: fixDelta });
    for (const role of ["QA", "Security", "Coder"])
      expect(universalInput(task, { ...facts, role, changedFiles }).task.session_changed_files).toEqual([]);
  });
});

describe("the universal input in a session", () => {
  it("has the session's files, the state of the checks, and a reviewer's checklist for this kind of project", () => {
    const input = universalInput(task, {
      ...{ ...facts, role: "Security", artifacts: [".agents-work/s/spec.md"] },
      ...{ ciStatus: "red", lastFailedStep: "npm test" },
    });
    expect(input).toMatchObject({
      role: "Security",
      artifact_list: [".agents-work/s/spec.md"],
      repo_state: { ci_status: "red", last_failed_step: "npm test" },
      checklist: expect.arrayContaining([expect.stringContaining("API safety")]),
    });
    expect(input.checklist.join()).not.toContain("XSS");
  });

  it("has the fields of the plan beyond the contract", () => {
    const planned = { ...task, done_when: ["it rounds"], files_expected: ["src/price/a.ts"] };
    expect(universalInput(planned, facts).task).toMatchObject({
      done_when: ["it rounds"],
      files_expected: ["src/price/a.ts"],
    });
  });
});

describe("the prompt", () => {
  const input = universalInput(task, facts);
  using project = temporaryFolder();
  const root = project.path;

  it("has the role's duties, the scope, the way to widen it, and the whole input", () => {
    const prompt = promptFor(input, { role: "Coder", root });
    expect(prompt).toContain("You are Coder");
    expect(prompt).toContain("Implement the task");
    expect(prompt).toContain("Write only in `src/price`, `test/price.test.ts`");
    expect(prompt).toContain("Never write in `src/price/table.ts`");
    expect(prompt).toContain('`lockstep widen T-001 PATH --why "…"`');
    expect(prompt).not.toContain("refused it");
    expect(findAnswer(prompt.slice(prompt.lastIndexOf("Input:")))).toEqual(JSON.parse(JSON.stringify(input)));
  });

  it("has an example of a valid answer", () => {
    const prompt = promptFor(input, { role: "Coder", root });
    const example = findAnswer(prompt.slice(0, prompt.indexOf("Input:")));
    const asked = { id: "T-001", criteria: ["cmd: npm test"], worklogPath: undefined };
    expect(readAnswer(example, { task: asked, role: "Coder" })).toMatchObject({
      kind: "report",
      output: { next: { task: "T-001" } },
    });
  });

  it("names a role of the project", () => {
    expect(promptFor(input, { role: "Translator", root })).toContain("You are Translator");
    expect(promptFor(input, { role: "constructor", root })).toContain("Do the task.");
  });

  it.each([
    ["Coder", "`status` is `OK`, `FAIL` or `BLOCKED`"],
    ["Security", "`status` is `OK`, `NEEDS_DECISION`, `FAIL` or `BLOCKED`"],
  ])("lists for %s the statuses that it may answer", (role, words) => {
    expect(promptFor(input, { role, root })).toContain(words);
  });

  it("omits what the task does not have", () => {
    const bare = { ...task, forbidden_scope: [], context_files: [] };
    const prompt = promptFor(universalInput(bare, { ...facts, assignment: assignmentOf(bare, "w.md") }), {
      role: "QA",
      root,
    });
    expect(prompt).not.toContain("Never write in");
    expect(prompt).not.toContain("Read every file");
  });

  it("has the refusal on another attempt, and in the same conversation nothing else", () => {
    const again = universalInput(task, { ...facts, attempt: 2, fixDelta });
    for (const prompt of [promptFor(again, { role: "Coder", root }), promptToFix(again)]) {
      expect(prompt).toContain("This is attempt 2");
      expect(prompt).toContain("`npm test` failed (R-PC-002)");
      expect(prompt).toContain("To fix it: make it pass");
      expect(prompt).toContain('Details: {"exit":1}');
    }
    expect(promptToFix(again)).not.toContain("Round prices");
    expect(promptToFix(input)).toContain("Continue where you left off");
  });
});
