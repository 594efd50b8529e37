import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advanceSession } from "./advance.ts";
import { conditions, type Facts } from "./conditions.ts";
import { judgeStatusDocument, unknownKeys } from "./judge-status.ts";
import { newSession, type Purpose, type Session } from "./session.ts";
import type { SessionEvent } from "./session-event.ts";
import { repairLoops, sessionStates } from "./states.ts";
import { type AskedQuestion, statusDocument } from "./status-document.ts";

const at = "2026-02-14T20:00:00.000Z";
const name = "2026-02-14_shop";
const given = { name, goal: "round prices", base: "main", baseCommit: "a".repeat(40) } as const;
const full = newSession({ ...given, mode: "full" }, at);
const everythingHolds: Facts = Object.fromEntries(Object.keys(conditions).map((one) => [one, null]));

const asked = (id: string, more: Partial<AskedQuestion> = {}): AskedQuestion => ({
  ...{ id, kind: "question", question: "which rounding?", data: { stateContext: "DESIGN" } },
  ...{ state: "pending", answer: null, askedAt: at, answeredAt: null },
  ...more,
});

/** One event of every kind, and one for each choice. */
const events: readonly SessionEvent[] = [
  ...(["spec", "architecture", "correction", "final-review", "integration"] as const).map(
    (purpose: Purpose) =>
      ({ type: "dispatch", dispatched: { role: "Architect", purpose, agent: "a" } }) as const,
  ),
  ...(["OK", "BLOCKED"] as const).map(
    (status) =>
      ({ type: "return", returned: { status, summary: "s", next: "Researcher", findings: ["f"] } }) as const,
  ),
  ...repairLoops.flatMap((loop) =>
    ["meta", "T-001"].flatMap((task) => [
      { type: "repair", loop, task } as const,
      { type: "grant-repairs", loop, task } as const,
    ]),
  ),
  ...["meta", "T-001"].map((task) => ({ type: "repaired", task }) as const),
  ...(
    ["give-up", "intake-done", "designed", "approved", "corrected", "ask-approval", "planned"] as const
  ).map((type) => ({ type })),
  ...(["implemented", "integrated", "released", "ask", "answered", "resume"] as const).map((type) => ({
    type,
  })),
  { type: "too-complex", reason: "four files" },
  { type: "changes-requested", request: "fewer modules" },
  { type: "strategy-chosen", strategy: "single-final" },
  { type: "block", blocker: { code: "subagent_failure", reason: "no answer", recovery: "lockstep resume" } },
  { type: "note", assumptions: ["a"], knownIssues: ["b"], ci: "red", instructionsExist: true },
];

const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((one) => one.trim() !== "");
const settled = (id: string, more: Partial<AskedQuestion>) =>
  fc.oneof(
    fc.constant(asked(id, more)),
    text.map((answer) => asked(id, { ...more, state: "cancelled", answer, answeredAt: at })),
  );
const ordinary = fc.integer({ min: 1, max: 99 }).chain((number) => {
  const id = `UD-${number}`;
  return fc.oneof(
    settled(id, {}),
    text.map((answer) => asked(id, { state: "answered", answer, answeredAt: at })),
    text.map((answer) => asked(id, { state: "skipped", answer, answeredAt: at })),
    settled(id, { kind: "security", data: null }),
    settled(id, { data: { stateContext: "IMPLEMENT_LOOP", fromSecurity: true } }),
  );
});
const gate = fc.oneof(
  settled(`${name}/UD-APPROVE-DESIGN`, { data: null }),
  fc
    .constantFrom("approved", "approved. Go on", "changes-requested: fewer")
    .map((answer) => asked(`${name}/UD-APPROVE-DESIGN`, { state: "answered", answer, answeredAt: at })),
  settled(`${name}/UD-REVIEW-STRATEGY`, { data: null }),
);
const decisions = fc.uniqueArray(fc.oneof(ordinary, gate), { selector: ({ id }) => id, maxLength: 6 });

function step(session: Session, event: SessionEvent): Session | undefined {
  const next = advanceSession(session, event, { facts: everythingHolds, at });
  return "allow" in next ? undefined : next;
}

describe("status.json", () => {
  it("is valid after every event that can happen in any state that can be reached", () => {
    const seen = new Set<string>();
    const steps = fc.array(fc.nat(), { maxLength: 60 });
    const modes = fc.constantFrom("full", "lean");
    const property = fc.property(modes, steps, decisions, (mode, choices, questions) => {
      let session = newSession({ ...given, mode }, at);
      for (const choice of choices) {
        const next = events.flatMap((event) => step(session, event) ?? []);
        for (const one of [session, ...next]) {
          seen.add(one.state);
          const document: unknown = JSON.parse(JSON.stringify(statusDocument(one, questions)));
          expect(judgeStatusDocument(document)).toEqual([]);
          expect(unknownKeys(document)).toEqual([]);
        }
        if (next.length === 0) break;
        // Events that are possible in every state are chosen less often, so that the walk makes progress.
        const anywhere = [session.state, "BLOCKED", "ASK_USER"];
        const moving = next.filter(({ state }) => !anywhere.includes(state));
        const list = choice % 4 > 0 && moving.length > 0 ? moving : next;
        session = list[choice % list.length] as Session;
      }
    });
    fc.assert(property, { numRuns: 300 });
    expect([...seen].sort()).toEqual([...sessionStates].sort());
  });

  it("has the required fields of S4, and the mode and the blocker", () => {
    const blocker = { code: "subagent_failure", reason: "r", recovery: "lockstep resume" };
    const noted = step(full, {
      ...{ type: "note", assumptions: ["one currency"], knownIssues: ["rounds twice"] },
      ...{ ci: "red", instructionsExist: false },
    });
    const blocked = step(noted as Session, { type: "block", blocker }) as Session;
    const security = asked("UD-2", { kind: "security", data: { findings: [] } });
    expect(statusDocument(blocked, [asked("UD-1"), security])).toEqual({
      current_state: "BLOCKED",
      session: name,
      mode: "full",
      blocker: { ...blocker, at, from_state: "INTAKE" },
      assumptions: ["one currency"],
      user_decisions: [
        {
          ...{ decision_id: "UD-1", question: "which rounding?", status: "pending", answer: null },
          ...{ asked_at: at, resolved_at: null, state_context: "DESIGN", resolution_reason: null },
        },
        {
          ...{ decision_id: "UD-2", question: "which rounding?", status: "pending", answer: null },
          ...{ asked_at: at, resolved_at: null, state_context: "IMPLEMENT_LOOP", resolution_reason: null },
          x_security: true,
        },
      ],
      runtime_flags: { copilot_instructions_exists: false, copilot_checked_at: at },
      retry_counts: {},
      known_issues: ["rounds twice"],
      last_ci_result: "red",
      last_update: at,
    });
  });

  it("shows the status of corrections and the number of repairs", () => {
    const atGate = { ...full, state: "APPROVE_DESIGN" } as Session;
    expect(statusDocument(atGate, [])).not.toHaveProperty("gate_tracking");
    const queued = step(atGate, { type: "changes-requested", request: "fewer" }) as Session;
    const dispatched = step(queued, {
      type: "dispatch",
      dispatched: { role: "Architect", purpose: "correction", agent: "a" },
    }) as Session;
    const tracked = (session: Session, status: string, last: object) =>
      expect(statusDocument(session, [])).toMatchObject({
        gate_tracking: { APPROVE_DESIGN: { correction_status: status, last_correction_dispatch: last } },
      });
    tracked(queued, "queued", { agent: null, task_id: null, at: null });
    tracked(dispatched, "dispatched", { agent: "Architect", task_id: "meta", at });
    const looping = { ...full, state: "IMPLEMENT_LOOP" } as Session;
    const repairing = step(looping, { type: "repair", loop: "FIX_TESTS", task: "T-001" }) as Session;
    expect(statusDocument(repairing, [])).toMatchObject({
      current_state: "FIX_TESTS",
      retry_counts: { "T-001": { FIX_REVIEW: 0, FIX_TESTS: 1, FIX_SECURITY: 0, FIX_BUILD: 0 } },
    });
  });

  it("separates answers from reasons for no answer, and has the time of the last change", () => {
    const later = "2026-02-14T21:00:00.000Z";
    const dropped = (id: string, state: "cancelled" | "skipped", answer: string) =>
      asked(id, { state, answer, answeredAt: later });
    const document = statusDocument(full, [
      dropped("UD-1", "cancelled", "no response provided"),
      dropped("UD-2", "skipped", ""),
    ]);
    expect(document).toMatchObject({
      user_decisions: [
        { status: "cancelled", answer: null, resolution_reason: "no response provided", resolved_at: later },
        { status: "skipped", answer: null, resolution_reason: "skipped" },
      ],
      last_update: later,
    });
    expect(judgeStatusDocument(document)).toEqual([]);
  });
});

describe("a status.json that is read", () => {
  type Loose = Record<string, unknown> & { user_decisions: Record<string, unknown>[] };
  const gateRecord = {
    ...{ decision_id: "UD-APPROVE-DESIGN", question: "q", status: "answered", answer: "approved" },
    ...{ asked_at: at, resolved_at: at, state_context: "APPROVE_DESIGN", resolution_reason: null },
  };
  const whole = () => JSON.parse(JSON.stringify(statusDocument(full, [asked("UD-1")]))) as Loose;
  const tracking = (value: unknown) => ({ gate_tracking: { APPROVE_DESIGN: value } });

  it.each<[string, (document: Loose) => unknown, string]>([
    ["no object", () => [], "not a JSON object"],
    ["an unknown state", (one) => ({ ...one, current_state: "CODING" }), "`current_state`"],
    ["no session", (one) => ({ ...one, session: null }), "`session`"],
    ["an assumption that is not a text", (one) => ({ ...one, assumptions: [1] }), "`assumptions`"],
    ["no known issues", (one) => ({ ...one, known_issues: undefined }), "`known_issues`"],
    ["an unknown result", (one) => ({ ...one, last_ci_result: "amber" }), "`last_ci_result`"],
    ["no time", (one) => ({ ...one, last_update: "yesterday" }), "`last_update`"],
    ["an unknown mode", (one) => ({ ...one, mode: "quick" }), "`mode`"],
    [
      "a blocker without a way out",
      (one) => ({
        ...{ ...one, current_state: "BLOCKED" },
        blocker: { code: "c", reason: "r", at, from_state: "PLAN" },
      }),
      "`blocker.recovery`",
    ],
    [
      "a blocker of a running session",
      (one) => ({ ...one, blocker: { code: "c", reason: "r", recovery: "x", at, from_state: "PLAN" } }),
      "`blocker` is present although",
    ],
    ["no decisions", (one) => ({ ...one, user_decisions: {} }), "`user_decisions` is not a list"],
    [
      "a decision twice",
      (one) => ({ ...one, user_decisions: [...one.user_decisions, ...one.user_decisions] }),
      "UD-1 twice",
    ],
    [
      "a gate twice",
      (one) => ({ ...one, user_decisions: [gateRecord, gateRecord] }),
      "UD-APPROVE-DESIGN twice",
    ],
    ["a task's status", (one) => ({ ...one, retry_counts: { "T-001": "completed" } }), "`retry_counts.T-001"],
    [
      "an unknown correction",
      (one) => ({ ...one, ...tracking({ correction_status: "late" }) }),
      "`gate_tracking",
    ],
    [
      "an unknown corrector",
      (one) => ({ ...one, ...tracking({ last_correction_dispatch: { agent: "Coder" } }) }),
      "`gate_tracking.APPROVE_DESIGN.last_correction_dispatch.agent`",
    ],
    [
      "flags without a time",
      (one) => ({ ...one, runtime_flags: { copilot_instructions_exists: true } }),
      "`runtime_flags.copilot_checked_at`",
    ],
  ])("is refused for %s", (_, change, fault) => {
    expect(judgeStatusDocument(change(whole()))).toContainEqual(expect.stringContaining(fault));
    expect(judgeStatusDocument(whole())).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a pending one with an answer", { answer: "up" }, ".answer"],
    ["a pending one with a time", { resolved_at: at }, ".resolved_at"],
    ["a pending one with a reason", { resolution_reason: "x" }, ".resolution_reason"],
    ["an empty answer", { status: "answered", answer: " ", resolved_at: at }, ".answer"],
    ["an answer of no time", { status: "answered", answer: "up" }, ".resolved_at"],
    ["a cancelled one without a reason", { status: "cancelled", resolved_at: at }, ".resolution_reason"],
    ["a skipped one of no time", { status: "skipped", resolution_reason: "x" }, ".resolved_at"],
    ["an unknown status", { status: "open" }, ".status"],
    ["an unknown name", { decision_id: "D-1" }, ".decision_id"],
    ["an unknown state", { state_context: "LATER" }, ".state_context"],
    ["no question", { question: "" }, ".question"],
    ["a gate elsewhere", { ...gateRecord, state_context: "DESIGN" }, ".state_context"],
    ["a gate with any answer", { ...gateRecord, answer: "approvedX" }, ".answer"],
    ["a gate's answer that is not canonical", { ...gateRecord, answer: "Approved" }, ".answer"],
    [
      "a strategy in other words",
      {
        ...{ ...gateRecord, decision_id: "UD-REVIEW-STRATEGY" },
        ...{ state_context: "REVIEW_STRATEGY", answer: "batch" },
      },
      ".answer",
    ],
  ])("is refused for a decision: %s", (_, more, fault) => {
    const one = whole();
    const [first] = one.user_decisions;
    const faults = judgeStatusDocument({ ...one, user_decisions: [{ ...first, ...more }] });
    expect(faults).toContainEqual(expect.stringContaining(`\`user_decisions[0]${fault}\``));
  });

  it("may be an older one: without tracking, mode and blocker, with other times and keys of its own", () => {
    const { mode: _mode, blocker: _blocker, ...one } = whole();
    const old = {
      ...one,
      last_update: "2026-02-14T21:00:00.1234567+01:00",
      completed_tasks: ["T-001"],
      gate_tracking: {},
    };
    expect(judgeStatusDocument(old)).toEqual([]);
    expect(judgeStatusDocument({ ...old, ...tracking({ correction_status: null }) })).toEqual([]);
    expect(unknownKeys(old)).toEqual(["completed_tasks"]);
  });
});
