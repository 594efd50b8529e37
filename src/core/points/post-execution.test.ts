import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge, memoryPorts } from "../../../test/support/judge.ts";
import * as postExecution from "./post-execution.ts";

const worklog = "worklogs/T-123.md";
const report = {
  task_id: "T-123",
  result: {
    status: "done",
    changes: [{ resource: "src/a.py", action: "edit" }],
    acceptance_check: [{ criterion: "tests pass", status: "pass", evidence: "pytest -q" }],
    worklog_path: worklog,
    notes_for_orchestrator: ["Ready for merge"],
  },
  assignment: { lock_scope: ["src/a.py", "tests"], forbidden_scope: ["src/b.py", "tests/secret"] },
};

const contents = {
  [`/repo/${worklog}`]: "0123456789",
  "/repo/worklogs/empty.md": "",
  "/repo/worklogs/other.md": "a much longer worklog of another task",
  "/repo/worklogs/away.md": { to: "/elsewhere/log.md" },
  "/elsewhere/log.md": "x",
  "/repo/tests/secret/key": "x",
};
const ports = memoryPorts(contents);

const changed = (...resources: unknown[]) => ({
  "result.changes": resources.map((resource) => ({ resource, action: "edit" })),
});
const notes = (...list: unknown[]) => ({ "result.notes_for_orchestrator": list });
const check = (criterion: unknown, status: unknown = "pass", evidence: unknown = "log") => ({
  criterion,
  status,
  evidence,
});
const checks = (...list: unknown[]) => ({ "result.acceptance_check": list });

async function codeOf(changes: Record<string, unknown>) {
  return (await judge(postExecution, altered(report, changes), ports)).code;
}

describe("the form of a result", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["the specification's example", {}, "OK"],
    ["no task id", { task_id: "" }, "R-PO-001"],
    ["no result", { result: undefined }, "R-PO-001"],
    ["a text as result", { result: "done" }, "R-PO-001"],
    ["no status", { "result.status": undefined }, "R-PO-001"],
    ["an unknown status", { "result.status": "finished" }, "R-PO-001"],
    ["a status in another case", { "result.status": "DONE" }, "R-PO-001"],
    ["blocked", { "result.status": "blocked" }, "OK"],
    ["failed", { "result.status": "failed" }, "OK"],
    ["no changes", { "result.changes": undefined }, "R-PO-001"],
    ["an empty list of changes", { "result.changes": [] }, "OK"],
    ["a change that is a text", { "result.changes": ["src/a.py"] }, "R-PO-001"],
    ["a change without action", { "result.changes": [{ resource: "src/a.py" }] }, "R-PO-001"],
    ["a change of nothing", changed(" "), "R-PO-001"],
    ["a change with a line break", changed("src/a.py\n"), "R-PO-001"],
    ["no acceptance check", { "result.acceptance_check": undefined }, "R-PO-001"],
    ["a check without criterion", checks({ status: "pass", evidence: "x" }), "R-PO-001"],
    ["a check with a number as status", checks(check("tests pass", 1)), "R-PO-001"],
    ["a check with a number as evidence", checks(check("tests pass", "pass", 1)), "R-PO-001"],
    ["no notes", { "result.notes_for_orchestrator": undefined }, "R-PO-001"],
    ["a note that is a number", notes(1), "R-PO-001"],
    ["a note of 64 KiB", notes("é".repeat(32 * 1024)), "OK"],
    ["a note beyond 64 KiB", notes(`${"é".repeat(32 * 1024)}a`), "R-PO-001"],
    ["no assignment", { assignment: null }, "R-PO-001"],
    ["no lock scope", { "assignment.lock_scope": undefined }, "R-PO-001"],
    ["an empty lock scope", { "assignment.lock_scope": [] }, "R-PO-001"],
    ["a lock scope that leaves the project", { "assignment.lock_scope": ["/etc"] }, "R-PO-001"],
    ["no forbidden scope", { "assignment.forbidden_scope": undefined }, "R-PO-001"],
    ["malformed criteria", { "assignment.acceptance_criteria": "tests pass" }, "R-PO-001"],
    ["a malformed worklog size", { "assignment.worklog_size": "10" }, "R-PO-001"],
    ["a worklog path of the wrong type", { "result.worklog_path": 1 }, "R-PO-001"],
    ["no worklog path at all", { "result.worklog_path": undefined }, "R-PO-001"],
  ])("%s gives the right code", async (_, changes, code) => expect(await codeOf(changes)).toBe(code));
});

describe("what was changed", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["below a locked folder", changed("tests/unit/a.py"), "OK"],
    ["outside the lock", changed("src/c.py"), "R-PO-002"],
    ["outside the project", changed("../x"), "R-PO-002"],
    ["the same name prefix", changed("tests2/a.py"), "R-PO-002"],
    ["forbidden inside the lock", changed("tests/secret/key"), "R-PW-002"],
    ["forbidden outside the lock", changed("src/b.py"), "R-PW-002"],
    ["protected", changed(".git/config"), "R-PW-002"],
    ["first outside, then forbidden", changed("src/c.py", "src/b.py"), "R-PW-002"],
    ["the assigned worklog", { ...changed(worklog), "assignment.worklog_path": worklog }, "OK"],
    ["a worklog that only the result names", changed(worklog), "R-PO-002"],
    [
      "a folder with a forbidden part removed",
      { "result.changes": [{ resource: "tests", action: "delete" }] },
      "R-PW-002",
    ],
  ])("%s gives the right code", async (_, changes, code) => expect(await codeOf(changes)).toBe(code));

  it("names the change that was refused", async () => {
    const payload = altered(report, changed("src/a.py", "src/b.py"));
    expect((await judge(postExecution, payload, ports)).details).toEqual({
      index: 1,
      resource: "src/b.py",
      path: "src/b.py",
      forbidden_scope: "src/b.py",
    });
  });
});

describe("the worklog", () => {
  const assigned = (path: unknown, size?: number) => ({
    "assignment.worklog_path": path,
    "assignment.worklog_size": size,
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["blank", { "result.worklog_path": "" }, "R-PO-003"],
    ["absent", { "result.worklog_path": "worklogs/none.md" }, "R-PO-003"],
    ["empty", { "result.worklog_path": "worklogs/empty.md" }, "R-PO-003"],
    ["a folder", { "result.worklog_path": "worklogs" }, "R-PO-003"],
    ["outside by name", { "result.worklog_path": "/elsewhere/log.md" }, "R-PO-003"],
    ["outside by link", { "result.worklog_path": "worklogs/away.md" }, "R-PO-003"],
    ["with control characters", { "result.worklog_path": "a\u0007" }, "R-PO-003"],
    ["only in the assignment", { "result.worklog_path": undefined, ...assigned(worklog) }, "OK"],
    [
      "only in the assignment, outside",
      { "result.worklog_path": undefined, ...assigned("../x") },
      "R-PO-003",
    ],
    ["grown", assigned(worklog, 9), "OK"],
    ["not grown", assigned(worklog, 10), "R-PO-003"],
    ["grown, with the result naming it alone", assigned(undefined, 9), "OK"],
    [
      "not grown, with the result naming a longer one",
      { ...assigned(worklog, 10), "result.worklog_path": "worklogs/other.md" },
      "R-PO-003",
    ],
    ["missing for a blocked result", { "result.status": "blocked", "result.worklog_path": "x" }, "R-PO-003"],
  ])("%s gives the right code", async (_, changes, code) => expect(await codeOf(changes)).toBe(code));
});

describe("secrets in the notes", () => {
  it("are refused by place and kind, without the secret", async () => {
    const payload = altered(report, notes("fine", "the SECRET is here", "SECRET again"));
    const verdict = await judge(postExecution, payload, ports);
    expect(verdict.code).toBe("R-PO-004");
    expect(verdict.details).toEqual({
      secrets: [
        { index: 1, rule: "test-rule" },
        { index: 2, rule: "test-rule" },
      ],
    });
    expect(JSON.stringify(verdict)).not.toContain("SECRET");
  });

  it("are refused in a blocked result too", async () => {
    expect(await codeOf({ ...notes("SECRET"), "result.status": "blocked" })).toBe("R-PO-004");
  });
});

describe("criteria of a result that is done", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["nothing reported", checks(), "R-PC-001"],
    ["nothing reported, but blocked", { ...checks(), "result.status": "blocked" }, "OK"],
    [
      "an assigned criterion missing",
      { "assignment.acceptance_criteria": ["tests pass", "lint"] },
      "R-PC-001",
    ],
    ["all assigned criteria met", { "assignment.acceptance_criteria": ["tests pass"] }, "OK"],
    ["one not passed", checks(check("tests pass"), check("lint", "fail")), "R-PC-002"],
    ["PASS is not pass", checks(check("tests pass", "PASS")), "R-PC-002"],
    ["evidence missing", checks({ criterion: "tests pass", status: "pass" }), "R-PC-003"],
    ["evidence blank", checks(check("tests pass", "pass", " ")), "R-PC-003"],
    ["failing and failed", { ...checks(check("x", "fail", "")), "result.status": "failed" }, "OK"],
  ])("%s gives the right code", async (_, changes, code) => expect(await codeOf(changes)).toBe(code));
});

describe("an agent's own output as a result", () => {
  const output = {
    ...report,
    result: {
      status: "OK",
      summary: "Rounded prices",
      artifacts: { files_changed: ["src/a.py"], notes: ["none"] },
      gates: { meets_definition_of_done: true },
      next: { recommended_agent: "Reviewer" },
    },
    assignment: { ...report.assignment, worklog_path: worklog },
    acceptance_check: [check("tests pass")],
  };

  it.each<[string, Record<string, unknown>, string]>([
    ["OK with the caller's evidence", {}, "OK"],
    ["OK without evidence", { acceptance_check: undefined }, "R-PC-001"],
    ["OK with a failed check", { acceptance_check: [check("tests pass", "fail")] }, "R-PC-002"],
    ["OK with malformed evidence", { acceptance_check: {} }, "R-PO-001"],
    [
      "evidence inside the output",
      { acceptance_check: null, "result.acceptance_check": [check("x")] },
      "R-PC-001",
    ],
    ["BLOCKED without evidence", { acceptance_check: undefined, "result.status": "BLOCKED" }, "OK"],
    ["FAIL without evidence", { acceptance_check: undefined, "result.status": "FAIL" }, "OK"],
    ["another word", { "result.status": "NEEDS_INFO" }, "R-PO-001"],
    ["ok in lower case", { "result.status": "ok" }, "R-PO-001"],
    ["no summary", { "result.summary": undefined }, "R-PO-001"],
    ["no artifacts", { "result.artifacts": undefined }, "OK"],
    ["artifacts of the wrong type", { "result.artifacts": [] }, "R-PO-001"],
    ["files of the wrong type", { "result.artifacts.files_changed": "src/a.py" }, "R-PO-001"],
    ["a blank file", { "result.artifacts.files_changed": [""] }, "R-PO-001"],
    ["notes of the wrong type", { "result.artifacts.notes": "x" }, "R-PO-001"],
    ["a file outside the lock", { "result.artifacts.files_changed": ["src/c.py"] }, "R-PO-002"],
    ["a forbidden file", { "result.artifacts.files_changed": ["src/b.py"] }, "R-PW-002"],
    ["no assigned worklog", { "assignment.worklog_path": undefined }, "R-PO-001"],
    ["a missing worklog", { "assignment.worklog_path": "none.md" }, "R-PO-003"],
    ["a secret in the summary", { "result.summary": "SECRET" }, "R-PO-004"],
    ["a secret in the notes", { "result.artifacts.notes": ["SECRET"] }, "R-PO-004"],
  ])("%s gives the right code", async (_, changes, code) => {
    expect((await judge(postExecution, altered(output, changes), ports)).code).toBe(code);
  });
});

describe("precedence", () => {
  it("follows the order of the table when everything is wrong at once", async () => {
    const faults: [string, Record<string, unknown>][] = [
      ["R-PO-001", { task_id: "" }],
      ["R-PW-002", changed("src/c.py", "src/b.py")],
      ["R-PO-002", changed("src/c.py")],
      ["R-PO-003", { "result.worklog_path": "none.md" }],
      ["R-PO-004", notes("SECRET")],
      ["R-PC-001", { "assignment.acceptance_criteria": ["lint"] }],
      ["R-PC-002", checks(check("tests pass", "fail", ""))],
      ["R-PC-003", checks(check("tests pass", "pass", ""))],
    ];
    for (const [at, [code]] of faults.entries()) {
      const rest = faults.slice(at).toReversed();
      expect(await codeOf(Object.assign({}, ...rest.map(([, fault]) => fault)))).toBe(code);
    }
  });
});
