import { describe, expect, it } from "vitest";
import { judgePlanEdit, judgeStatusEdit } from "./requests.ts";
import { newSession } from "./session.ts";
import { statusDocument } from "./status-document.ts";

const at = "2026-02-14T20:00:00.000Z";
const given = { name: "2026-02-14_shop", goal: "g", mode: "full", base: "main", baseCommit: "a" } as const;
const before = {
  ...(statusDocument({ ...newSession(given, at), assumptions: ["one currency"] }, []) as object),
} as Record<string, unknown>;

describe("an agent's edit of status.json", () => {
  const judge = (after: unknown, role = "QA") => judgeStatusEdit({ before, after, role });

  it("adds assumptions and known issues, with the time of the change", () => {
    const after = {
      ...before,
      assumptions: ["one currency", " prices are positive ", "prices are positive"],
      known_issues: ["rounds twice"],
      last_update: "2026-02-14T21:00:00Z",
    };
    expect(judge(after)).toEqual({
      note: { assumptions: ["prices are positive"], knownIssues: ["rounds twice"] },
      refused: [],
    });
    expect(judge(before)).toEqual({ note: { assumptions: [], knownIssues: [] }, refused: [] });
  });

  it.each([
    ["user_decisions", [{ decision_id: "UD-APPROVE-DESIGN", status: "answered", answer: "approved" }]],
    ["current_state", "DONE"],
    ["gate_tracking", { APPROVE_DESIGN: { correction_status: "completed" } }],
    ["retry_counts", { "T-001": {} }],
    ["runtime_flags", {}],
    ["last_ci_result", "green"],
    ["completed_tasks", ["T-001"]],
    ["mode", undefined],
  ])("is refused for `%s` with the name of the key, and the rest of the edit counts", (key, value) => {
    const { note, refused } = judge({ ...before, known_issues: ["slow"], [key]: value });
    expect(refused).toEqual([`QA may not change \`${key}\` in status.json`]);
    expect(note.knownIssues).toEqual(["slow"]);
  });

  it("must not remove anything and must leave a valid document", () => {
    expect(judge({ ...before, assumptions: [] }).refused).toEqual([
      "entries of `assumptions` in status.json may only be added, not removed",
    ]);
    expect(judge({ ...before, known_issues: [3, "x"] })).toEqual({
      note: { assumptions: [], knownIssues: ["x"] },
      refused: ["`known_issues` in status.json may contain only strings"],
    });
    for (const after of [undefined, [], "x"])
      expect(judge(after).refused).toEqual(["status.json is no longer a JSON object"]);
  });
});

describe("an agent's edit of tasks.yaml", () => {
  const plan = (one: string, two = "not-started", more = {}) => ({
    tasks: [
      { id: "T-1", status: one, goal: "a" },
      { id: "T-2", goal: "b", status: two },
    ],
    ...more,
  });
  const judge = (from: unknown, to: unknown, role = "Coder") =>
    judgePlanEdit({ before: from, after: to, role, task: "T-1" });

  it.each([
    ["Coder", "not-started", "in-progress", true],
    ["Coder", "in-progress", "implemented", true],
    ["Coder", "not-started", "implemented", true],
    ["Coder", "implemented", "in-progress", true],
    ["Coder", "blocked", "in-progress", true],
    ["Coder", "in-progress", "completed", false],
    ["Coder", "implemented", "completed", false],
    ["Coder", "in-progress", "not-started", false],
    ["Coder", "completed", "blocked", false],
    ["Coder", "completed", "in-progress", false],
    ["Coder", "in-progress", "finished", false],
    ["QA", "implemented", "blocked", true],
    ["QA", "implemented", "completed", false],
    ["Integrator", "not-started", "in-progress", false],
  ])("by %s may lead from %s to %s: %s", (role, from, to, isAllowed) => {
    const { refused, blocked } = judge(plan(from), plan(to), role);
    expect(refused).toHaveLength(isAllowed ? 0 : 1);
    expect(refused.join()).toContain(isAllowed ? "" : "T-1");
    expect(blocked === null).toBe(to !== "blocked");
  });

  it("must not touch other tasks or the plan", () => {
    expect(judge(plan("in-progress"), plan("in-progress", "blocked"))).toEqual({
      blocked: null,
      refused: ["the agent of T-1 may not change the status of T-2"],
    });
    const other = plan("in-progress", "not-started", { project: { name: "x" } });
    expect(judge(plan("in-progress"), other).refused).toEqual([
      "Coder may not change the plan in tasks.yaml",
    ]);
    expect(judge(plan("in-progress"), { tasks: [] }).refused).toHaveLength(1);
    expect(judge(plan("in-progress"), undefined).refused).toEqual(["tasks.yaml is no longer a plan"]);
    expect(judge(plan("in-progress"), plan("in-progress"))).toEqual({ blocked: null, refused: [] });
  });

  it("by Planner makes the plan, whose tasks begin as not-started", () => {
    expect(judge({ tasks: [] }, plan("not-started"), "Planner").refused).toEqual([]);
    expect(judge(undefined, plan("implemented"), "Planner").refused).toEqual([
      "T-1 is implemented in tasks.yaml: a new task must be not-started",
    ]);
    expect(judge({ tasks: [] }, plan("completed"), "Planner").refused).toHaveLength(1);
  });
});
