import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleTask } from "../../../test/support/sample-task.ts";
import { retryLimits } from "./counters.ts";
import { advance, legalEvents } from "./machine.ts";
import { by, events, eventTypes, fixDelta, held } from "./sample-events.test-support.ts";
import { type TaskState, taskStates } from "./states.ts";
import type { Task } from "./task.ts";
import type { TaskEvent, TaskEventType } from "./task-event.ts";

/** An actor that may trigger the event, if any. */
function move(task: Task, event: TaskEvent): TaskState | string {
  for (const actor of ["system", "person", "orchestrator", "attempt"] as const) {
    const advanced = advance(task, event, by(actor));
    if (!("allow" in advanced)) return advanced.task.state;
    if (advanced.code !== "R-AU-001") return advanced.code;
  }
  return "R-AU-001";
}

/** One line per state: the target of each event. Events that are not listed are refused with R-ST-001. */
const table: readonly [string, Task, Partial<Record<TaskEventType, string>>][] = [
  [
    "PENDING",
    sampleTask(),
    {
      start: "IN_PROGRESS",
      deny: "BLOCKED",
      wait: "BLOCKED",
      orphan: "BLOCKED",
      escalate: "ESCALATED",
      cancel: "FAILED",
    },
  ],
  [
    "PENDING after its one retry",
    sampleTask({ counters: { ...sampleTask().counters, block_retries: 1 } }),
    {
      start: "IN_PROGRESS",
      deny: "ESCALATED",
      wait: "BLOCKED",
      orphan: "BLOCKED",
      escalate: "ESCALATED",
      cancel: "FAILED",
    },
  ],
  [
    "IN_PROGRESS",
    sampleTask({ state: "IN_PROGRESS" }),
    {
      submit: "REVIEW",
      deny: "BLOCKED",
      block: "BLOCKED",
      orphan: "BLOCKED",
      lose: "PENDING",
      stop: "BLOCKED",
      halt: "ESCALATED",
      escalate: "ESCALATED",
      cancel: "FAILED",
    },
  ],
  [
    "IN_PROGRESS after its one retry",
    sampleTask({ state: "IN_PROGRESS", counters: { ...sampleTask().counters, block_retries: 1 } }),
    {
      submit: "REVIEW",
      deny: "ESCALATED",
      block: "BLOCKED",
      orphan: "BLOCKED",
      lose: "PENDING",
      stop: "BLOCKED",
      halt: "ESCALATED",
      escalate: "ESCALATED",
      cancel: "FAILED",
    },
  ],
  [
    "REVIEW",
    sampleTask({ state: "REVIEW" }),
    { merge: "MERGED", reject: "REJECTED", orphan: "BLOCKED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  [
    "REVIEW of the fourth try",
    sampleTask({ state: "REVIEW", counters: { ...sampleTask().counters, review_retries: 3 } }),
    { merge: "MERGED", reject: "FAILED", orphan: "BLOCKED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  [
    "REVIEW when the same error came twice before",
    sampleTask({ state: "REVIEW", streak: { fingerprint: "f1", count: 2 } }),
    { merge: "MERGED", reject: "ESCALATED", orphan: "BLOCKED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  ["MERGED", sampleTask({ state: "MERGED" }), {}],
  [
    "BLOCKED by a deny",
    held("deny"),
    { retry: "PENDING", deny: "ESCALATED", halt: "ESCALATED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  [
    "BLOCKED by its agent's report",
    held("reported"),
    { retry: "PENDING", halt: "ESCALATED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  [
    "BLOCKED because a person stopped it",
    held("stopped"),
    { retry: "PENDING", halt: "ESCALATED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  [
    "BLOCKED by another task's lock",
    held("lock"),
    { unblock: "PENDING", halt: "ESCALATED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  [
    "REJECTED",
    sampleTask({ state: "REJECTED", fixDelta }),
    { start: "IN_PROGRESS", exhaust: "FAILED", halt: "ESCALATED", escalate: "ESCALATED", cancel: "FAILED" },
  ],
  ["FAILED", sampleTask({ state: "FAILED" }), { escalate: "ESCALATED" }],
  ["ESCALATED", sampleTask({ state: "ESCALATED" }), { resolve: "PENDING", cancel: "FAILED" }],
];

describe("every state and every event", () => {
  const cases = table.flatMap(([name, task, wanted]) =>
    eventTypes.map((type) => [name, type, wanted[type] ?? "R-ST-001", task] as const),
  );

  it("are all in the table", () => {
    expect(new Set(table.map(([, { state }]) => state)).size).toBe(taskStates.length);
    expect(cases).toHaveLength(table.length * 17);
  });

  it.each(cases)("%s, %s: %s", (_name, type, wanted, task) => {
    expect(move(task, events[type])).toBe(wanted);
  });
});

describe("an illegal event", () => {
  it("is refused with R-ST-001 and the legal ones", () => {
    const refused = advance(sampleTask({ state: "FAILED" }), events.submit, by("attempt"));
    expect(refused).toMatchObject({
      allow: false,
      code: "R-ST-001",
      reason: "task `T-1` is FAILED, so `submit` is not possible: possible now: `lockstep task escalate`",
      details: { state: "FAILED", event: "submit", legal: ["escalate"], transitions: ["ESCALATED"] },
    });
  });
});

/** Prefers the events of a task in progress, so that walks reach reviews and merges. */
const anyType = fc.oneof(
  fc.constantFrom(...eventTypes),
  fc.constantFrom<TaskEventType>("start", "submit", "merge", "reject"),
);

const anyEvent: fc.Arbitrary<TaskEvent> = fc
  .tuple(anyType, fc.constantFrom("f1", "f2"), fc.boolean())
  .map(([type, fingerprint, assignmentChanged]): TaskEvent => {
    const changes: object = { fingerprint, assignmentChanged };
    return { ...events[type], ...changes };
  });

/** Lists of all lengths up to `maxLength`; by default fast-check generates only short ones. */
const anyEvents = (maxLength: number) => fc.array(anyEvent, { maxLength, size: "max" });

function walk(
  steps: readonly TaskEvent[],
  visit: (before: Task, after: Task, event: TaskEvent) => void,
): void {
  let task = sampleTask();
  for (const event of steps)
    for (const actor of ["system", "person"] as const) {
      const advanced = advance(task, event, by(actor));
      if ("allow" in advanced) continue;
      visit(task, advanced.task, event);
      task = advanced.task;
      break;
    }
}

describe("any sequence of events", () => {
  it("nothing leaves MERGED", () => {
    fc.assert(
      fc.property(anyEvents(60), (steps) => {
        walk(steps, (before) => expect(before.state).not.toBe("MERGED"));
      }),
    );
  });

  it("no retry exceeds its budget, and only a person resets one", () => {
    fc.assert(
      fc.property(anyEvents(80), (steps) => {
        walk(steps, (before, after, event) => {
          expect(after.counters.block_retries).toBeLessThanOrEqual(retryLimits.block_retries);
          expect(after.counters.review_retries).toBeLessThanOrEqual(retryLimits.review_retries);
          if (event.type === "resolve") return;
          expect(after.counters.block_retries).toBeGreaterThanOrEqual(before.counters.block_retries);
          expect(after.counters.review_retries).toBeGreaterThanOrEqual(before.counters.review_retries);
        });
      }),
      { numRuns: 500 },
    );
  });

  it("legal events are never refused as illegal, and no other event is possible", () => {
    fc.assert(
      fc.property(anyEvents(30), anyEvent, (steps, event) => {
        let task = sampleTask();
        walk(steps, (_before, after) => {
          task = after;
        });
        const outcomes = (["system", "person", "orchestrator", "attempt"] as const).map((actor) => {
          const advanced = advance(task, event, by(actor));
          return "allow" in advanced ? advanced.code : "moved";
        });
        expect(outcomes.every((code) => code === "R-ST-001")).toBe(!legalEvents(task).includes(event.type));
      }),
    );
  });

  it("a blocked task has a hold, and no other task has one", () => {
    fc.assert(
      fc.property(anyEvents(60), (steps) => {
        walk(steps, (_before, { state, hold }) => {
          if (state === "BLOCKED") expect(hold).not.toBeNull();
          if (state === "IN_PROGRESS" || state === "MERGED") expect(hold).toBeNull();
        });
      }),
    );
  });
});
