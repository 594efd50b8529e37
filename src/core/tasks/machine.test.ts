import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleTask } from "../../../test/support/sample-task.ts";
import { retryLimits } from "./counters.ts";
import { advance, legalEvents } from "./machine.ts";
import { type TaskState, taskStates } from "./states.ts";
import type { Actor, Task } from "./task.ts";
import type { TaskEvent, TaskEventType } from "./task-event.ts";

const limits = { reviewRetries: 3, sameError: 3 };
const refusal = { code: "R-PO-002", reason: "outside", details: {} } as const;
const fixDelta = { ...refusal, guidance: "undo it" };

/** An event of each kind that no guard would refuse. */
const events: { readonly [Type in TaskEventType]: Extract<TaskEvent, { type: Type }> } = {
  start: { type: "start", agent: "coder", waitingFor: [] },
  submit: { type: "submit", hasEvidence: true },
  merge: { type: "merge", commit: "abc", proof: "claimed" },
  reject: { type: "reject", fixDelta, fingerprint: "f1" },
  exhaust: { type: "exhaust" },
  block: { type: "block", refusal, fingerprint: "f1" },
  deny: { type: "deny", refusal, fingerprint: "f1" },
  wait: { type: "wait", refusal, hold: { kind: "lock", by: "T-2" } },
  orphan: { type: "orphan", refusal, by: "T-2" },
  lose: { type: "lose", reason: "runner_lost" },
  halt: { type: "halt", refusal },
  retry: { type: "retry", assignmentChanged: true },
  unblock: { type: "unblock" },
  escalate: { type: "escalate", reason: "stuck", recommendation: null },
  resolve: { type: "resolve", note: "use the other API" },
  cancel: { type: "cancel", reason: "not needed" },
};
const eventTypes = Object.keys(events) as TaskEventType[];

const by = (actor: Actor) => ({ by: actor, limits });

/** The actor that may do it, if any may. */
function move(task: Task, event: TaskEvent): TaskState | string {
  for (const actor of ["system", "person", "orchestrator", "attempt"] as const) {
    const advanced = advance(task, event, by(actor));
    if (!("allow" in advanced)) return advanced.task.state;
    if (advanced.code !== "R-AU-001") return advanced.code;
  }
  return "R-AU-001";
}

const held = (kind: "deny" | "reported" | "lock") =>
  sampleTask({ state: "BLOCKED", hold: { kind, by: "T-2" } });

/** One line a state: where each event leads. What is not listed is refused with R-ST-001. */
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
    "BLOCKED by somebody's lock",
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
    expect(cases).toHaveLength(table.length * 16);
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
      reason: "task `T-1` is FAILED, so `submit` is not possible: legal now: escalate",
      details: { state: "FAILED", event: "submit", legal: ["escalate"], transitions: ["ESCALATED"] },
    });
  });
});

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
    ["a blank agent is none", sampleTask(), { ...events.start, agent: " " }, "person", "R-PD-001"],
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
      "a rejection that mends nothing",
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
    ["an agent cancels", sampleTask(), events.cancel, "attempt", "R-AU-001"],
    ["an agent merges", sampleTask({ state: "REVIEW" }), events.merge, "attempt", "R-AU-001"],
    ["an agent starts itself", sampleTask(), events.start, "attempt", "R-AU-001"],
  ])("refuse it when %s", (_name, task, event, actor, code) => {
    const refused = advance(task, event, by(actor));
    expect("allow" in refused ? refused.code : refused.task.state).toBe(code);
  });
});

describe("what a step leaves behind", () => {
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
    expect(after.refusal).toMatchObject({
      code: "R-PO-002",
      details: { escalation: { recommendation: expect.stringContaining("replan serially") } },
    });
    const other = done(task, { ...events.deny, refusal: { ...refusal, code: "R-AG-001" } });
    expect(other.task.refusal?.details.escalation).toMatchObject({ recommendation: "try another model" });
  });

  it("a lost runner passes through BLOCKED and costs nothing", () => {
    const { task, steps } = done(sampleTask({ state: "IN_PROGRESS" }), events.lose);
    expect(steps.map(({ to }) => to)).toEqual(["BLOCKED", "PENDING"]);
    expect(task.counters).toEqual(sampleTask().counters);
  });

  it("the fourth rejection passes through REJECTED and keeps the code", () => {
    const task = sampleTask({ state: "REVIEW", counters: { ...sampleTask().counters, review_retries: 3 } });
    const { task: after, steps } = done(task, events.reject);
    expect(steps.map(({ to }) => to)).toEqual(["REJECTED", "FAILED"]);
    expect(after.refusal?.code).toBe("R-PO-002");
  });

  it("the same error for the third time halts, and says so beside the code of the refusal", () => {
    const task = sampleTask({ state: "REVIEW", streak: { fingerprint: "f1", count: 2 } });
    const { task: after, steps } = done(task, events.reject);
    expect(steps.map(({ to }) => to)).toEqual(["REJECTED", "FAILED", "ESCALATED"]);
    expect(after.refusal).toMatchObject({
      code: "R-PO-002",
      details: { halt: { signal: "same_error", count: 3 } },
    });
  });

  it("another error starts the count anew", () => {
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

  it("a resolution makes every budget whole", () => {
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
    ["IN_PROGRESS", "cancel", ["stop-agent", "release-locks", "block-dependents"]],
    ["ESCALATED", "resolve", ["free-dependents"]],
  ])("from %s, %s brings about %j", (state, type, effects) => {
    const actor = state === "PENDING" ? "orchestrator" : "person";
    const one = type === "orphan" ? "system" : actor;
    expect([...done(sampleTask({ state }), events[type], one).effects]).toEqual(effects);
  });
});

const anyEvent: fc.Arbitrary<TaskEvent> = fc
  .tuple(fc.constantFrom(...eventTypes), fc.constantFrom("f1", "f2"), fc.boolean())
  .map(([type, fingerprint, assignmentChanged]): TaskEvent => {
    const changes: object = { fingerprint, assignmentChanged };
    return { ...events[type], ...changes };
  });

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

describe("whatever happens", () => {
  it("nothing leaves MERGED", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (steps) => {
        walk(steps, (before) => expect(before.state).not.toBe("MERGED"));
      }),
    );
  });

  it("no retry exceeds its budget, and only a person makes one whole again", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 80 }), (steps) => {
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

  it("what is said to be legal is never refused as illegal, and nothing else is possible", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), anyEvent, (steps, event) => {
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

  it("a blocked task says why it is held, and no other does", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (steps) => {
        walk(steps, (_before, { state, hold }) => {
          if (state === "BLOCKED") expect(hold).not.toBeNull();
          if (state === "IN_PROGRESS" || state === "MERGED") expect(hold).toBeNull();
        });
      }),
    );
  });
});
