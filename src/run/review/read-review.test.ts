import { describe, expect, it } from "vitest";
import { readReview } from "./read-review.ts";

const task = "T-1";

function answer(
  status: string,
  more: { findings?: unknown; done?: boolean; concerns?: readonly string[] } = {},
) {
  const { findings = [], done = status === "OK", concerns = [] } = more;
  return {
    status,
    summary: "looked",
    artifacts: { findings, notes: [], commands_to_run: [] },
    gates: { meets_definition_of_done: done, security_concerns: concerns },
    next: { recommended_agent: "Coder", recommended_task_id: "T-1", reason: "x" },
  };
}

describe("an answer to a review", () => {
  it.each<[string, unknown, string, string]>([
    ["reports success", answer("OK"), "Reviewer", "approved"],
    [
      "has findings that do not block",
      answer("OK", { findings: ["low: a", "medium: high time"] }),
      "QA",
      "approved",
    ],
    ["has a finding that blocks", answer("OK", { findings: ["[HIGH] a"] }), "QA", "refused"],
    ["has a concern that blocks", answer("OK", { concerns: ["critical: a"] }), "Security", "refused"],
    ["reports unfinished work", answer("OK", { done: false }), "Reviewer", "refused"],
    ["reports a failure", answer("FAIL"), "Reviewer", "refused"],
    ["reports a blocker", answer("BLOCKED"), "Reviewer", "refused"],
    ["leaves it to a person", answer("NEEDS_DECISION"), "Security", "undecided"],
    [
      "has a finding for a person's decision",
      answer("OK", { findings: ["medium: a"] }),
      "Security",
      "undecided",
    ],
    [
      "has a finding that blocks, as an object",
      answer("OK", { findings: [{ severity: "high", file: "a.ts", description: "b" }] }),
      "Architect",
      "refused",
    ],
  ])("that %s", (_title, given, role, verdict) => {
    expect(readReview(given, { task, role })).toMatchObject({ verdict });
  });

  it.each<[string, unknown, string]>([
    ["is missing", undefined, "Reviewer"],
    ["asks a question that only Security may ask", answer("NEEDS_DECISION"), "Reviewer"],
    ["asks for information", answer("NEEDS_INFO"), "Researcher"],
    ["has findings of another form", answer("OK", { findings: "none" }), "Reviewer"],
    [
      "is a result of work",
      { status: "done", changes: [], acceptance_check: [], worklog_path: "w", notes_for_orchestrator: [] },
      "QA",
    ],
  ])("that %s is invalid", (_title, given, role) => {
    expect(readReview(given, { task, role })).toHaveProperty("invalid");
  });
});
