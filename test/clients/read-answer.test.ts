import { describe, expect, it } from "vitest";
import { askAgain, readAnswer } from "../../src/clients/answer/read-answer.ts";
import type { ReportedTask } from "../../src/core/reports/submission.ts";

const task: ReportedTask = { id: "T-1", criteria: ["cmd: npm test"], worklogPath: "worklogs/T-1.md" };
const output = {
  status: "OK",
  summary: "Rounded prices",
  artifacts: { files_changed: ["src/a.ts"] },
  gates: { meets_definition_of_done: true },
  next: { recommended_agent: "Reviewer", recommended_task_id: "same" },
};
const result = {
  status: "done",
  changes: [{ resource: "src/a.ts", action: "edit" }],
  acceptance_check: [{ criterion: "cmd: npm test", status: "pass", evidence: "ok" }],
  notes_for_orchestrator: [],
};
const read = (answer: unknown, role = "Coder") => readAnswer(answer, { task, role });

describe("an answer", () => {
  it("may be an agent's output with missing lists and with `same` for its own task", () => {
    expect(read(output)).toMatchObject({
      kind: "report",
      report: { kind: "result", status: "done", agentForm: true },
      output: {
        summary: "Rounded prices",
        findings: [],
        meetsDefinitionOfDone: true,
        needsReview: false,
        next: { agent: "Reviewer", task: "T-1", reason: "" },
      },
    });
  });

  it("has the paths that the agent claims to have changed, and its tests", () => {
    const artifacts = { files_changed: ["src/a.ts"], tests_added_or_updated: ["test/a.test.ts"] };
    expect(read({ ...output, artifacts })).toMatchObject({
      report: { result: { changes: [{ resource: "src/a.ts", action: "edit" }] } },
      output: { testsChanged: ["test/a.test.ts"] },
    });
  });

  it("may be an agent's output under `result`", () => {
    expect(read({ result: output })).toMatchObject({ kind: "report", output: { summary: "Rounded prices" } });
  });

  it("may be a hook result", () => {
    expect(read(result)).toMatchObject({
      kind: "report",
      report: { kind: "result", status: "done" },
      output: null,
    });
  });

  it("may be an escalation", () => {
    const escalation = {
      escalation: { reason: "no access", attemptedPaths: ["a token"], blockers: ["none"] },
    };
    expect(read(escalation)).toMatchObject({ kind: "report", report: { kind: "escalation" } });
  });

  it.each([
    ["NEEDS_INFO", "Researcher"],
    ["NEEDS_DECISION", "Security"],
  ])("may be %s from %s only", (status, role) => {
    expect(read({ ...output, status }, role)).toMatchObject({ kind: "question", status });
    expect(read({ ...output, status })).toEqual({
      kind: "invalid",
      reason: `only ${role} may answer \`${status}\`: answer \`BLOCKED\` with the reason`,
    });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "no JSON object"],
    ["no status", { summary: "done" }, "`status`"],
    ["another status", { ...output, status: "DONE" }, "`status` is `DONE`"],
    ["no summary", { ...output, summary: undefined }, "summary"],
    ["no gates", { ...output, gates: undefined }, "`gates.meets_definition_of_done` is missing"],
    ["a gate that is a word", { ...output, gates: { meets_definition_of_done: "yes" } }, "malformed"],
    ["no next", { ...output, next: undefined }, "`next.recommended_agent` is missing"],
    [
      "an unknown next agent",
      { ...output, next: { ...output.next, recommended_agent: "Bob" } },
      "`SpecAgent`, `Architect`",
    ],
    ["another task", { ...result, task_id: "T-2" }, "`T-1`"],
    ["a result without changes", { ...result, changes: undefined }, "`changes`"],
    ["a list in place of artifacts", { ...output, artifacts: [] }, "artifacts"],
    ["a question without gates", { ...output, status: "NEEDS_INFO", gates: null }, "NEEDS_INFO"],
  ])("with %s is refused with a reason that names the fault", (_, answer, part) => {
    const reading = read(answer);
    expect(reading).toEqual({ kind: "invalid", reason: expect.stringContaining(part) });
    const { reason } = reading as { reason: string };
    expect(askAgain(reason).replaceAll(/\.? *\n?Answer/g, "\nAnswer")).toContain(
      `${reason}\nAnswer again with one JSON object`,
    );
  });

  it.each<[string, unknown, readonly string[]]>([
    [
      "an agent's output",
      { status: "OK", artifacts: { files_changed: "a", notes: [1] } },
      [
        "`summary` is missing: give a text of at most 65536 bytes",
        "`gates.meets_definition_of_done` is missing: give `true` or `false`",
        expect.stringContaining("`next.recommended_agent` is missing: give one of `SpecAgent`"),
        "`next.recommended_task_id` is missing: give a one-line text of at most 65536 bytes",
        "`files_changed` is not a list of paths",
        "`artifacts.notes` is not a list of strings",
      ],
    ],
    [
      "an agent's output in a wrapper",
      { result: { ...output, summary: 1, gates: {} } },
      [
        expect.stringContaining("`result.summary` is malformed"),
        expect.stringContaining("`result.gates.meets_definition_of_done` is missing"),
      ],
    ],
    [
      "a hook result",
      { status: "done" },
      [
        "`changes` is missing or not a list",
        "`acceptance_check` is missing or not a list",
        "`notes_for_orchestrator` is missing or not a list of strings",
      ],
    ],
    [
      "a delegation's output",
      { status: "complete", deliverable: { filesCreated: 1, filesModified: 2 }, blockers: 3 },
      [
        expect.stringContaining("`blockers`"),
        expect.stringContaining("`deliverable.filesCreated`"),
        expect.stringContaining("`deliverable.filesModified`"),
      ],
    ],
    [
      "an escalation",
      { escalation: { reason: 1 } },
      [
        expect.stringContaining("`escalation.reason`"),
        expect.stringContaining("`escalation.blockers`"),
        expect.stringContaining("`escalation.attemptedPaths`"),
      ],
    ],
  ])("that is %s is refused with all its faults at once, one per line", (_, answer, lines) => {
    const reading = read(answer);
    expect(reading.kind).toBe("invalid");
    expect((reading as { reason: string }).reason.split("\n")).toEqual(lines);
  });
});
