import { describe, expect, it } from "vitest";
import { stateWords, type TaskState, taskStates } from "./states.ts";

describe("the states in the other documents", () => {
  it.each<[TaskState, string, string, string, string]>([
    ["PENDING", "orchestrator", "todo", "not-started", "incoming"],
    ["IN_PROGRESS", "agent", "in_progress", "in-progress", "claimed"],
    ["REVIEW", "orchestrator and reviewer", "in_progress", "implemented", "provisional"],
    ["MERGED", "orchestrator", "done", "completed", "done"],
    ["BLOCKED", "orchestrator", "blocked", "blocked", "blocked"],
    ["REJECTED", "orchestrator", "blocked", "in-progress", "incoming"],
    ["FAILED", "orchestrator", "failed", "blocked", "blocked"],
    ["ESCALATED", "person", "blocked", "blocked", "blocked"],
  ])("%s is owned by the %s and called %s, %s and %s", (state, owner, hook, plan, queue) => {
    expect(stateWords[state]).toEqual({ owner, hook, plan, queue });
  });

  it("cover all eight states", () => {
    expect(Object.keys(stateWords)).toEqual([...taskStates]);
    expect(taskStates).toHaveLength(8);
  });
});
