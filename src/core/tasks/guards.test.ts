import { describe, expect, it } from "vitest";
import { sampleTask } from "../../../test/support/sample-task.ts";
import { advance } from "./machine.ts";
import { by, events, fixDelta, held } from "./sample-events.test-support.ts";
import type { Actor, Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";

describe("guards", () => {
  const rejected = sampleTask({ state: "REJECTED", fixDelta });
  it.each<[string, Task, TaskEvent, Actor, string]>([
    [
      "a dependency is not merged",
      sampleTask(),
      { ...events.start, waitingFor: ["T-0"] },
      "person",
      "R-PE-001",
    ],
    ["no agent is assigned", sampleTask(), { ...events.start, agent: null }, "person", "R-PD-001"],
    ["a blank agent does not count", sampleTask(), { ...events.start, agent: " " }, "person", "R-PD-001"],
    ["rework has no fix delta", { ...rejected, fixDelta: null }, events.start, "person", "R-ST-001"],
    [
      "rework is spent",
      { ...rejected, counters: { ...rejected.counters, review_retries: 3 } },
      events.start,
      "person",
      "R-RT-001",
    ],
    [
      "rework with an unmerged dependency",
      rejected,
      { ...events.start, waitingFor: ["T-0"] },
      "person",
      "R-PE-001",
    ],
    [
      "no evidence",
      sampleTask({ state: "IN_PROGRESS" }),
      { type: "submit", hasEvidence: false },
      "attempt",
      "R-PC-003",
    ],
    [
      "a rejection without a fix delta",
      sampleTask({ state: "REVIEW" }),
      { ...events.reject, fixDelta: null },
      "person",
      "R-ST-001",
    ],
    [
      "an unchanged assignment",
      held("deny"),
      { type: "retry", assignmentChanged: false },
      "person",
      "R-RT-001",
    ],
    [
      "a second retry",
      { ...held("deny"), counters: { ...held("deny").counters, block_retries: 1 } },
      events.retry,
      "person",
      "R-RT-001",
    ],
    [
      "an escalation without a reason",
      sampleTask(),
      { ...events.escalate, reason: " " },
      "person",
      "R-IN-001",
    ],
    [
      "a resolution without a note",
      sampleTask({ state: "ESCALATED" }),
      { type: "resolve", note: "" },
      "person",
      "R-IN-001",
    ],
    ["a cancellation without a reason", sampleTask(), { type: "cancel", reason: "" }, "person", "R-IN-001"],
    ["an agent resolves", sampleTask({ state: "ESCALATED" }), events.resolve, "attempt", "R-AU-001"],
    [
      "an orchestrator resolves",
      sampleTask({ state: "ESCALATED" }),
      events.resolve,
      "orchestrator",
      "R-AU-001",
    ],
    ["an orchestrator stops", sampleTask({ state: "IN_PROGRESS" }), events.stop, "orchestrator", "R-AU-001"],
    [
      "an orchestrator restarts a task that a person stopped",
      held("stopped"),
      events.retry,
      "orchestrator",
      "R-AU-001",
    ],
    ["an agent cancels", sampleTask(), events.cancel, "attempt", "R-AU-001"],
    ["an agent merges", sampleTask({ state: "REVIEW" }), events.merge, "attempt", "R-AU-001"],
    ["an agent starts itself", sampleTask(), events.start, "attempt", "R-AU-001"],
  ])("refuse it when %s", (_name, task, event, actor, code) => {
    const refused = advance(task, event, by(actor));
    expect("allow" in refused ? refused.code : refused.task.state).toBe(code);
  });
});
