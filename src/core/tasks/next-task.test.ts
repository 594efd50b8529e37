import { describe, expect, it } from "vitest";
import { sampleTask } from "../../../test/support/sample-task.ts";
import { advance } from "./machine.ts";
import { by, events, fixDelta, refusal } from "./sample-events.test-support.ts";
import type { TaskState } from "./states.ts";
import type { Actor, Task } from "./task.ts";
import type { TaskEvent, TaskEventType } from "./task-event.ts";

describe("the effects of a step", () => {
  const done = (task: Task, event: TaskEvent, actor: Actor = "system") => {
    const advanced = advance(task, event, by(actor));
    if ("allow" in advanced) throw new Error(advanced.reason);
    return advanced;
  };

  it("a second deny fails, then escalates, with the recommendation recorded", () => {
    const task = sampleTask({ counters: { ...sampleTask().counters, block_retries: 1 } });
    const { task: after, steps } = done(task, events.deny);
    expect(steps.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      "PENDING → FAILED",
      "FAILED → ESCALATED",
    ]);
    expect(after.refusal?.code).toBe("R-PO-002");
    const advice = [
      ["R-PO-002", "the scope may be too small"],
      ["R-LK-001", "replan serially"],
      ["R-AG-001", "try another model"],
    ] as const;
    for (const [code, text] of advice) {
      const other = done(task, { ...events.deny, refusal: { ...refusal, code } });
      const recommendation = expect.stringContaining(text);
      expect(other.task.refusal?.details.escalation).toMatchObject({ recommendation });
    }
  });

  it("a lost runner passes through BLOCKED and costs nothing", () => {
    const { task, steps } = done(sampleTask({ state: "IN_PROGRESS" }), events.lose);
    expect(steps.map(({ to }) => to)).toEqual(["BLOCKED", "PENDING"]);
    expect(task.counters).toEqual(sampleTask().counters);
  });

  it("a person's stop costs nothing, any number of times", () => {
    let task = sampleTask({ state: "IN_PROGRESS", fixDelta });
    for (const _time of [1, 2, 3, 4]) {
      task = done(task, events.stop, "person").task;
      expect(task).toMatchObject({ state: "BLOCKED", refusal: { code: null }, streak: null, fixDelta });
      task = done(
        done(task, { ...events.retry, assignmentChanged: false }, "person").task,
        events.start,
        "person",
      ).task;
    }
    expect(task.counters).toEqual(sampleTask().counters);
  });

  it("the fourth rejection passes through REJECTED and keeps the code", () => {
    const task = sampleTask({ state: "REVIEW", counters: { ...sampleTask().counters, review_retries: 3 } });
    const { task: after, steps } = done(task, events.reject);
    expect(steps.map(({ to }) => to)).toEqual(["REJECTED", "FAILED"]);
    expect(after.refusal?.code).toBe("R-PO-002");
  });

  it("the same error for the third time halts, and keeps the code of the refusal", () => {
    const task = sampleTask({ state: "REVIEW", streak: { fingerprint: "f1", count: 2 } });
    const { task: after, steps } = done(task, events.reject);
    expect(steps.map(({ to }) => to)).toEqual(["REJECTED", "FAILED", "ESCALATED"]);
    expect(after.refusal).toMatchObject({
      code: "R-PO-002",
      details: { halt: { signal: "same_error", count: 3 } },
    });
  });

  it("another error restarts the count", () => {
    const task = sampleTask({ state: "REVIEW", streak: { fingerprint: "f0", count: 2 } });
    expect(done(task, events.reject).task.streak).toEqual({ fingerprint: "f1", count: 1 });
  });

  it("a rejection attaches the fix delta, and rework spends one review retry", () => {
    const rejected = done(sampleTask({ state: "REVIEW" }), events.reject).task;
    expect(rejected.fixDelta).toEqual(fixDelta);
    const started = done(rejected, events.start, "orchestrator").task;
    expect(started).toMatchObject({
      fixDelta,
      counters: { review_retries: 1, block_retries: 0 },
      attempts: 1,
    });
  });

  it("a resolution resets every budget", () => {
    const spent = { ...sampleTask().counters, block_retries: 1, review_retries: 3, repair_loops: { x: 2 } };
    const { task } = done(sampleTask({ state: "ESCALATED", counters: spent }), events.resolve, "person");
    expect(task).toMatchObject({
      counters: sampleTask().counters,
      resolution: "use the other API",
      refusal: null,
    });
  });

  it.each<[TaskState, TaskEventType, readonly string[]]>([
    ["PENDING", "start", ["open-attempt"]],
    ["IN_PROGRESS", "submit", ["hold-lease"]],
    ["REVIEW", "merge", ["release-locks", "free-dependents"]],
    ["REVIEW", "orphan", ["run-lease"]],
    ["IN_PROGRESS", "stop", ["stop-agent", "release-locks"]],
    ["IN_PROGRESS", "cancel", ["stop-agent", "release-locks", "block-dependents"]],
    ["ESCALATED", "resolve", ["free-dependents"]],
  ])("from %s, %s has the effects %j", (state, type, effects) => {
    const actor = state === "PENDING" ? "orchestrator" : "person";
    const one = type === "orphan" ? "system" : actor;
    expect([...done(sampleTask({ state }), events[type], one).effects]).toEqual(effects);
  });
});
