import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import {
  agentOutput,
  check,
  delegation,
  errorReport,
  escalation,
  fieldOf,
  hookResult,
  large,
  largeInBytes,
  many,
  read,
  resultOf,
  task,
} from "./submission-samples.ts";

describe("a hook's result", () => {
  const expected = {
    kind: "result",
    status: "done",
    result: hookResult,
    agentForm: false,
    claims: [check],
    reason: undefined,
  };

  it.each<[string, unknown]>([
    ["bare", hookResult],
    ["in a payload", { task_id: "T-1", result: hookResult, assignment: {}, unknown: 1 }],
    ["with unknown fields", { ...hookResult, more: large }],
    ["with an additional null", { result: hookResult, error: null }],
  ])("is read %s", (_, document) => expect(read(document)).toEqual(expected));

  it("has the worklog of the task if it names none", () => {
    const { result } = resultOf(altered(hookResult, { worklog_path: undefined }));
    expect(result.worklog_path).toBe(task.worklogPath);
  });

  it("has no worklog if neither names one", () => {
    const { result } = resultOf(altered(hookResult, { worklog_path: undefined }), {
      ...task,
      worklogPath: undefined,
    });
    expect(Object.keys(result)).not.toContain("worklog_path");
  });

  it("gives its first note as the reason for not being done", () => {
    const failed = { ...hookResult, status: "failed", notes_for_orchestrator: [" ", "no network", "x"] };
    expect(resultOf(failed)).toMatchObject({ status: "failed", reason: "no network" });
  });

  it("that is blocked keeps its own form, whatever other fields it has", () => {
    const blocked = { ...hookResult, status: "blocked", blockers: ["no key"], evidence: "none" };
    expect(resultOf(blocked)).toMatchObject({ status: "blocked", reason: "ready", claims: [check] });
  });

  it("does not invent missing evidence", () => {
    const { claims } = resultOf(
      altered(hookResult, { acceptance_check: [{ criterion: "x", status: "pass" }] }),
    );
    expect(claims).toEqual([{ criterion: "x", status: "pass", evidence: "" }]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no changes", { changes: undefined }, "changes"],
    ["a malformed change", { changes: [{ resource: "a\nb", action: "edit" }] }, "changes[0]"],
    ["no checks", { acceptance_check: undefined }, "acceptance_check"],
    ["no notes", { notes_for_orchestrator: undefined }, "notes_for_orchestrator"],
    ["a large note", { notes_for_orchestrator: [largeInBytes] }, "notes_for_orchestrator"],
    ["too many notes", { notes_for_orchestrator: many("x") }, "notes_for_orchestrator"],
    ["too many changes", { changes: many({ resource: "a", action: "edit" }) }, "changes"],
    ["too many checks", { acceptance_check: many(check) }, "acceptance_check"],
    ["a large path", { changes: [{ resource: large, action: "edit" }] }, "changes"],
    ["a large action", { changes: [{ resource: "a", action: large }] }, "changes"],
    ["a large criterion", { acceptance_check: [{ ...check, criterion: large }] }, "acceptance_check"],
    ["large evidence", { acceptance_check: [{ ...check, evidence: largeInBytes }] }, "acceptance_check"],
    ["a large worklog path", { worklog_path: large }, "worklog_path"],
    ["another word", { status: "finished" }, "status"],
    ["a status that is not a word", { status: 1 }, "status"],
    ["another task", { task_id: "T-2" }, "task_id"],
  ])("with %s is refused by that field", (_, changes, field) => {
    expect(fieldOf(altered(hookResult, changes))).toBe(field);
    if (field !== "task_id")
      expect(fieldOf({ result: altered(hookResult, changes) })).toBe(`result.${field}`);
  });

  it("is refused with messages about its own form", () => {
    expect(read(altered(hookResult, { changes: undefined }))).toEqual({
      error: "`changes` is missing or not a list",
      field: "changes",
    });
  });
});

describe("an agent's output", () => {
  it("becomes a result without evidence", () => {
    expect(read(agentOutput)).toEqual({
      kind: "result",
      status: "done",
      result: {
        status: "done",
        changes: [{ resource: "src/a.ts", action: "edit" }],
        acceptance_check: [],
        worklog_path: task.worklogPath,
        notes_for_orchestrator: ["Rounded prices", "none"],
      },
      agentForm: true,
      claims: [],
      reason: undefined,
    });
  });

  it("in a payload has unproven checks", () => {
    const submission = resultOf({ result: agentOutput, acceptance_check: [check] });
    expect(submission.claims).toEqual([check]);
    expect(submission.result.acceptance_check).toEqual([]);
  });

  it.each([
    ["BLOCKED", "blocked"],
    ["FAIL", "failed"],
  ])("that says %s is %s with its summary as the reason", (word, status) =>
    expect(resultOf({ ...agentOutput, status: word })).toMatchObject({
      status,
      agentForm: true,
      reason: "Rounded prices",
    }),
  );

  it.each<[string, Record<string, unknown>, string]>([
    ["a question instead", { status: "NEEDS_INFO" }, "status"],
    ["no summary", { summary: undefined }, "summary"],
    ["malformed files", { "artifacts.files_changed": [""] }, "artifacts.files_changed"],
    ["too many files", { "artifacts.files_changed": many("a") }, "artifacts.files_changed"],
    ["too many notes", { "artifacts.notes": many("a") }, "artifacts.notes"],
  ])("with %s is refused by that field", (_, changes, field) =>
    expect(fieldOf(altered(agentOutput, changes))).toBe(field),
  );
});

describe("anything else", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "document"],
    ["null", null, "document"],
    ["a text", "done", "document"],
    ["a list", [hookResult], "document"],
    ["an empty object", {}, "status"],
    ["an error in one text", { error: "boom" }, "error"],
    ["an escalation in one text", { escalation: "help" }, "escalation"],
    ["a result that is a list", { result: [] }, "result"],
    ["an empty result", { result: {} }, "result.status"],
  ])("%s is refused with a list of the accepted forms", (_, document, field) => {
    const submission = read(document) as { error: string; field: string };
    expect(submission.field).toBe(field);
    expect(submission.error).toMatch(
      /: give a result .+an agent's output .+a delegation's output .+`error`.+`escalation`$/,
    );
  });

  it.each<[string, unknown, string]>([
    ["a result and an error", { result: hookResult, ...errorReport }, "error"],
    ["a bare result and an error", { ...hookResult, ...errorReport }, "error"],
    ["a bare output and an escalation", { ...delegation, ...escalation }, "escalation"],
    ["an error and an escalation", { ...errorReport, ...escalation }, "escalation"],
  ])("%s together are refused", (_, document, field) => {
    expect(fieldOf(document)).toBe(field);
  });

  it("a report for another task is refused", () => {
    expect(fieldOf({ task_id: "T-2", result: hookResult })).toBe("task_id");
    expect(fieldOf({ taskId: "T-2", ...escalation })).toBe("taskId");
    expect(fieldOf({ result: { ...hookResult, taskId: "T-2" } })).toBe("result.taskId");
  });

  it("inherited properties count as absent", () => {
    expect(fieldOf(Object.create(hookResult))).toBe("status");
    expect(fieldOf(JSON.parse('{"__proto__": {"status": "done"}}'))).toBe("status");
    expect(fieldOf({ error: Object.create(errorReport.error) })).toBe("error.taskId");
  });
});

describe("any JSON value", () => {
  const documents = [hookResult, agentOutput, delegation, errorReport, escalation, { result: delegation }];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>("done", "OK", "blocked", "complete", "T-1", 1, [], {}, ["x"]),
  );

  /** A valid document with some of its parts replaced. */
  const damaged = fc.constantFrom<unknown>(...documents).chain((document) =>
    fc.array(fc.tuple(fc.nat(), value), { maxLength: 3 }).map((changes) => {
      let copy: unknown = document;
      for (const [at, replacement] of changes) copy = withPart(copy, at, replacement);
      return copy;
    }),
  );

  it("is read or refused with a field, and never throws", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), damaged), (document) => {
        const submission = read(document);
        seen.add("error" in submission ? "refused" : submission.kind);
        if ("error" in submission) {
          expect(submission.field).toMatch(/\S/);
          expect(submission.error).toMatch(/^[^\n]+[^.\n]$/);
        } else if (submission.kind === "result") {
          expect(resultOf(submission.result).result).toEqual(submission.result);
        }
      }),
      { numRuns: 3000 },
    );
    expect([...seen].sort()).toEqual(["error", "escalation", "refused", "result"]);
  });
});

/** A copy in which the part at the position `steps` is replaced. */
function withPart(document: unknown, steps: number, replacement: unknown): unknown {
  if (typeof document !== "object" || document === null) return replacement;
  const names = Object.keys(document);
  const at = steps % (names.length + 1);
  const name = names[at];
  if (name === undefined) return replacement;
  const copy = structuredClone(document) as Record<string, unknown>;
  copy[name] = withPart(copy[name], Math.floor(steps / (names.length + 1)), replacement);
  return copy;
}
