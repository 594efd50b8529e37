import { describe, expect, it } from "vitest";
import { advanceSession, needsOf } from "./advance.ts";
import { nextStep, type Outside } from "./next-step.ts";
import { newSession, type Session } from "./session.ts";
import type { SessionEvent } from "./session-event.ts";
import { sessionStates } from "./states.ts";

const at = "2026-01-02T03:04:05.000Z";
const given = { name: "2026-01-02_x", goal: "x", base: "main", baseCommit: "0".repeat(40) };
const outside: Outside = { pending: 0, tasksDone: false, hasReport: false };

function session(more: Partial<Session> = {}): Session {
  return { ...newSession({ ...given, mode: "full" }, at), ...more };
}

/** Applies an event with all its conditions met. */
function movedBy(before: Session, event: SessionEvent): Session {
  const facts = Object.fromEntries(needsOf(before, event).map((condition) => [condition, null]));
  const next = advanceSession(before, event, { facts, at });
  if ("allow" in next) throw new Error(next.reason);
  return next;
}

function correction(status: Session["correction"]["status"]): Session {
  return session({ state: "APPROVE_DESIGN", correction: { status, request: "smaller", last: null } });
}

describe("a design for which a person requests changes", () => {
  it.each([
    ["queued", { do: "correct" }],
    ["dispatched", { do: "move", event: { type: "corrected" } }],
    ["completed", { do: "move", event: { type: "ask-approval" } }],
    ["none", { do: "ask-gate", gate: "APPROVE_DESIGN" }],
  ] as const)("continues at `%s` without a second dispatch", (status, step) => {
    expect(nextStep(correction(status), outside)).toEqual(step);
  });

  it("is corrected only after the correcting role has returned", () => {
    const role = { role: "Architect", purpose: "correction", agent: "a" } as const;
    const sent = movedBy(correction("queued"), { type: "dispatch", dispatched: role });
    expect(sent.correction).toEqual({
      ...{ status: "dispatched", request: "smaller" },
      last: { agent: "Architect", task: "meta", at },
    });
    const facts = { spec: null, acceptance: null, architecture: null };
    expect(advanceSession(sent, { type: "corrected" }, { facts, at })).toMatchObject({ code: "R-ST-001" });
    const returned = { status: "OK", summary: "s", next: "Orchestrator", findings: [] } as const;
    const back = movedBy(sent, { type: "return", returned });
    expect(movedBy(back, { type: "corrected" }).correction.status).toBe("completed");
    expect(movedBy(sent, { type: "give-up" }).correction.status).toBe("queued");
  });
});

describe("a session", () => {
  it.each([
    ["INTAKE", { type: "intake-done" }, ["spec", "acceptance"], "full", "DESIGN"],
    [
      "INTAKE_LEAN",
      { type: "intake-done" },
      ["spec", "acceptance", "plan", "single-task"],
      "lean",
      "IMPLEMENT_LOOP",
    ],
    ["DESIGN", { type: "designed" }, ["architecture"], "full", "APPROVE_DESIGN"],
    ["APPROVE_DESIGN", { type: "approved" }, ["approved-on-disk"], "full", "PLAN"],
    ["PLAN", { type: "planned" }, ["plan"], "full", "REVIEW_STRATEGY"],
    [
      "REVIEW_STRATEGY",
      { type: "strategy-chosen", strategy: "per-batch" },
      ["strategy-on-disk"],
      "full",
      "IMPLEMENT_LOOP",
    ],
    ["IMPLEMENT_LOOP", { type: "implemented" }, ["all-completed", "final-review"], "full", "INTEGRATE"],
    ["IMPLEMENT_LOOP", { type: "implemented" }, ["all-completed"], "lean", "INTEGRATE"],
    ["INTEGRATE", { type: "integrated" }, ["checks-green"], "full", "RELEASE"],
    ["INTEGRATE", { type: "integrated" }, ["checks-green", "report", "nothing-pending"], "lean", "DONE"],
    [
      "RELEASE",
      { type: "released" },
      ["report", "all-completed", "checks-green", "nothing-pending"],
      "full",
      "DONE",
    ],
    ["ASK_USER", { type: "answered" }, ["nothing-pending"], "full", "DESIGN"],
  ] as const)("leaves %s only when all its conditions hold", (state, event, needed, mode, to) => {
    const before = session({ state, mode, returnTo: "DESIGN" });
    expect(needsOf(before, event)).toEqual(needed);
    expect(movedBy(before, event).state).toBe(to);
    const refused = advanceSession(before, event, { at });
    expect(refused).toMatchObject({ allow: false, code: "R-ST-001" });
    for (const missing of needed) {
      const facts = Object.fromEntries(
        needed.map((one) => [one, one === missing ? "it is not there" : null]),
      );
      expect(advanceSession(before, event, { facts, at })).toMatchObject({
        reason: expect.stringContaining("it is not there"),
      });
    }
  });

  it("needs no condition to dispatch a role or to let it return", () => {
    const dispatched = { role: "Architect", purpose: "correction", agent: "a", at } as const;
    const returned = { status: "OK", summary: "s", next: "Planner", findings: [] } as const;
    for (const state of sessionStates) {
      const before = session({ state, dispatched });
      expect(needsOf(before, { type: "dispatch", dispatched }), state).toEqual([]);
      expect(needsOf(before, { type: "return", returned }), state).toEqual([]);
    }
  });

  it("waits in ASK_USER while a question is open, and asks at its gates without that state", () => {
    const asking = session({ state: "ASK_USER" });
    expect(nextStep(asking, { ...outside, pending: 1 })).toEqual({ do: "wait" });
    expect(nextStep(asking, outside)).toEqual({ do: "move", event: { type: "answered" } });
    for (const gate of ["APPROVE_DESIGN", "REVIEW_STRATEGY"] as const)
      expect(nextStep(session({ state: gate }), { ...outside, pending: 1 })).toEqual({
        do: "ask-gate",
        gate,
      });
  });

  it("writes its report itself in lean mode", () => {
    const proven = session({ state: "INTEGRATE", mode: "lean", ci: "green" });
    expect(nextStep(proven, outside)).toEqual({ do: "report" });
    expect(nextStep(proven, { ...outside, hasReport: true })).toEqual({
      do: "move",
      event: { type: "integrated" },
    });
  });

  it("that asks a person or is blocked returns to its state with the work done there", () => {
    const returned = [
      { role: "Architect", purpose: "architecture", agent: "a", at },
    ] as unknown as Session["returned"];
    const before = session({ state: "DESIGN", returned });
    const asked = movedBy(before, { type: "ask" });
    expect(asked).toMatchObject({ state: "ASK_USER", returnTo: "DESIGN" });
    expect(movedBy(asked, { type: "answered" })).toMatchObject({ state: "DESIGN", returned, returnTo: null });
    const blocker = { code: "x", reason: "y", recovery: "z" };
    const blocked = movedBy(before, { type: "block", blocker });
    expect(blocked.blocker).toEqual({ ...blocker, at, from: "DESIGN" });
    expect(movedBy(blocked, { type: "resume" })).toMatchObject({ state: "DESIGN", returned, blocker: null });
  });

  it("allows three rounds of each repair loop per task; then a person must allow more", () => {
    const repair = { type: "repair", loop: "FIX_REVIEW", task: "T-1" } as const;
    let now = session({ state: "IMPLEMENT_LOOP" });
    for (const number of [1, 2, 3]) {
      const fixing = movedBy(now, repair);
      expect(fixing).toMatchObject({ state: "FIX_REVIEW", repairing: [{ task: "T-1", number }] });
      now = movedBy(fixing, { type: "repaired", task: "T-1" });
      expect(now).toMatchObject({ state: "IMPLEMENT_LOOP", repairing: [] });
    }
    expect(advanceSession(now, repair, { at })).toMatchObject({ code: "R-ST-001" });
    expect(movedBy(now, { ...repair, task: "T-2" }).state).toBe("FIX_REVIEW");
    expect(movedBy(now, { ...repair, loop: "FIX_TESTS" }).state).toBe("FIX_TESTS");
    expect(movedBy(movedBy(now, { ...repair, type: "grant-repairs" }), repair).state).toBe("FIX_REVIEW");
  });

  it("that is too large leaves lean mode permanently", () => {
    const lean = newSession({ ...given, mode: "lean" }, at);
    expect(lean.state).toBe("INTAKE_LEAN");
    for (const state of ["INTAKE_LEAN", "IMPLEMENT_LOOP", "FIX_REVIEW"] as const)
      expect(movedBy({ ...lean, state }, { type: "too-complex", reason: "two modules" })).toMatchObject({
        ...{ state: "INTAKE", mode: "full" },
      });
    const full = session({ state: "IMPLEMENT_LOOP" });
    expect(advanceSession(full, { type: "too-complex", reason: "x" }, { at })).toMatchObject({
      allow: false,
    });
  });

  it("has a next step in every state", () => {
    for (const state of sessionStates)
      for (const mode of ["full", "lean"] as const)
        for (const tasksDone of [true, false])
          expect(nextStep(session({ state, mode }), { ...outside, tasksDone })).toHaveProperty("do");
  });
});
