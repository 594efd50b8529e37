import { describe, expect, it } from "vitest";
import type { Session } from "../../src/core/session/session.ts";
import type { SessionEvent } from "../../src/core/session/session-event.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { conductorRole, endRole, takeRole } from "../../src/engine/change/hold-role.ts";
import { askGate, reopenGate } from "../../src/engine/decisions/ask-gate.ts";
import { askLogin } from "../../src/engine/decisions/ask-login.ts";
import { askManual } from "../../src/engine/decisions/ask-manual.ts";
import { askSession, type SessionQuestion } from "../../src/engine/decisions/ask-session.ts";
import { cancelUnanswered, skipDecision, skipNeedless } from "../../src/engine/decisions/drop-decisions.ts";
import { sessionDecisions } from "../../src/engine/decisions/session-decisions.ts";
import { operate } from "../../src/engine/operate.ts";
import { currentSession } from "../../src/engine/sessions/current-session.ts";
import { moveSession } from "../../src/engine/sessions/move-session.ts";
import { openSession } from "../../src/engine/sessions/open-session.ts";
import { dispatch, memoryEngine, packet, person, type TestEngine } from "../support/memory-engine.ts";

const name = "2026-02-14_shop";
const given = { name, goal: "round prices", mode: "full", base: "main", baseCommit: "a".repeat(40) } as const;

async function opened(): Promise<TestEngine> {
  const engine = await memoryEngine();
  expect(await openSession(engine, given, person)).toMatchObject({ name, version: 1, state: "INTAKE" });
  return engine;
}

async function move(engine: Engine, event: SessionEvent, facts = {}): Promise<Session> {
  const moved = await moveSession(engine, { session: name, event, facts }, person);
  if ("allow" in moved) throw new Error(moved.reason);
  return moved;
}

const met = { spec: null, acceptance: null, architecture: null } as const;

/** Moves a session to the gate of the design. */
async function atGate(): Promise<TestEngine> {
  const engine = await opened();
  await move(engine, { type: "intake-done" }, met);
  await move(engine, { type: "designed" }, met);
  await askGate(engine, gate, person);
  return engine;
}

const gate = {
  session: name,
  gate: "APPROVE_DESIGN",
  question: "is this the design?",
  options: ["approved", "changes-requested:"],
  data: { files: ["architecture.md"] },
} as const;
const gateId = `${name}/UD-APPROVE-DESIGN`;

const decide = (engine: Engine, id: string, answer: string) =>
  operate(engine, "decide", { id, answer }, person);
const entry = async (engine: Engine, id: string) =>
  (await engine.ledger.decisions()).find((one) => one.id === id);

describe("a session", () => {
  it("is opened once, with an event, and is the current one until it is done", async () => {
    const engine = await opened();
    expect(await openSession(engine, given, person)).toMatchObject({ code: "R-ST-001" });
    const [event] = await engine.ledger.events({ type: "session.opened" });
    expect(event).toMatchObject({ task: `${name}/meta`, data: { session: name, goal: "round prices" } });
    engine.sleep(60);
    await openSession(engine, { ...given, name: "2026-02-14_later" }, person);
    expect((await currentSession(engine))?.name).toBe("2026-02-14_later");
  });

  it("needs a valid name", async () => {
    const engine = await memoryEngine();
    for (const wrong of ["shop", "2026-02-14_Shop", "2026-02-14_a/b", ""])
      expect(await openSession(engine, { ...given, name: wrong }, person)).toMatchObject({
        code: "R-IN-001",
      });
    expect(await engine.ledger.sessions()).toEqual([]);
  });

  it("has one event per move, with its source, target and cause", async () => {
    const engine = await opened();
    expect(await move(engine, { type: "note", assumptions: ["one currency"] })).toMatchObject({ version: 2 });
    expect(await move(engine, { type: "intake-done" }, met)).toMatchObject({ version: 3, state: "DESIGN" });
    expect(await engine.ledger.session(name)).toMatchObject({ version: 3, assumptions: ["one currency"] });
    const events = await engine.ledger.events({ task: `${name}/meta` });
    expect(events.slice(1).map(({ type, data }) => [type, data])).toEqual([
      [
        "session.noted",
        { session: name, from: "INTAKE", to: "INTAKE", event: "note", assumptions: ["one currency"] },
      ],
      ["session.moved", { session: name, from: "INTAKE", to: "DESIGN", event: "intake-done" }],
    ]);
    expect((await operate(engine, "reconcile", {}, person)) as object).toMatchObject({ problems: [] });
  });

  it("does not move while its conditions do not hold, and stores nothing", async () => {
    const engine = await opened();
    const event = { type: "intake-done" } as const;
    const facts = { spec: "spec.md has no Goals", acceptance: null };
    const before = await engine.ledger.events();
    expect(await moveSession(engine, { session: name, event, facts }, person)).toMatchObject({
      code: "R-ST-001",
      details: { missing: ["spec.md has no Goals"] },
    });
    expect(await moveSession(engine, { session: "2026-01-01_x", event }, person)).toMatchObject({
      code: "R-IN-001",
    });
    expect(await engine.ledger.events()).toEqual(before);
  });

  it("loses no step with simultaneous moves", async () => {
    const engine = await opened();
    const issues = Array.from({ length: 10 }, (_, n) => `issue ${n}`);
    await Promise.all(issues.map((issue) => move(engine, { type: "note", knownIssues: [issue] })));
    const { knownIssues = [], version } = (await engine.ledger.session(name)) ?? {};
    expect([...knownIssues].sort()).toEqual(issues);
    expect(version).toBe(11);
  });

  it("stores no secret, neither in itself nor in its events", async () => {
    const secret = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
    const engine = await opened();
    await move(engine, { type: "note", assumptions: [`the key is ${secret}`] });
    expect((await engine.ledger.session(name))?.assumptions[0]).toContain("[secret:");
    expect(JSON.stringify(await engine.ledger.events())).not.toContain(secret);
  });

  it("commits decisions with its move, unless they have changed since", async () => {
    const engine = await atGate();
    await decide(engine, gateId, "changes-requested: fewer modules");
    const answered = (await entry(engine, gateId)) as NonNullable<Awaited<ReturnType<typeof entry>>>;
    const again = { ...answered, state: "pending", answer: null, answeredAt: null } as const;
    const event = { type: "ask-approval" } as const;
    const moved = await moveSession(engine, { session: name, event, decisions: [again] }, person);
    expect(moved).toMatchObject({ state: "APPROVE_DESIGN" });
    expect(await entry(engine, gateId)).toMatchObject({ state: "pending", version: answered.version + 1 });
    expect(await moveSession(engine, { session: name, event, decisions: [again] }, person)).toMatchObject({
      code: "R-ST-001",
      details: { id: gateId },
    });
  });
});

describe("a gate", () => {
  it("is asked under its own name, and only once", async () => {
    const engine = await atGate();
    const asked = await askGate(engine, gate, person);
    expect(asked).toMatchObject({
      ...{ id: gateId, kind: "approve-design", task: `${name}/meta`, state: "pending", version: 1 },
      data: {
        session: name,
        stateContext: "APPROVE_DESIGN",
        fromSecurity: false,
        files: ["architecture.md"],
      },
    });
    expect(await engine.ledger.events({ type: "decision.asked" })).toHaveLength(1);
  });

  it.each([
    ["APPROVE_DESIGN", "Approved, well done", "approved, well done"],
    ["APPROVE_DESIGN", " changes-requested:  fewer modules", "changes-requested: fewer modules"],
    ["REVIEW_STRATEGY", "Per batch", "per-batch"],
    ["REVIEW_STRATEGY", "single", "single-final"],
  ] as const)("at %s stores %j as %j", async (state, text, answer) => {
    const engine = await opened();
    await askGate(engine, { ...gate, gate: state }, person);
    const short = state === "APPROVE_DESIGN" ? "UD-APPROVE-DESIGN" : "UD-REVIEW-STRATEGY";
    expect(await decide(engine, short, text)).toMatchObject({ allow: true, details: { answer } });
    expect(await entry(engine, `${name}/${short}`)).toMatchObject({ state: "answered", answer });
    expect(await askGate(engine, { ...gate, gate: state }, person)).toMatchObject({ state: "answered" });
  });

  it("is asked again after an invalid answer, three times; then the session is blocked", async () => {
    const engine = await atGate();
    for (const [text, left] of [
      ["approvedX", 3],
      ["maybe", 2],
      ["", 1],
    ] as const) {
      const said = await decide(engine, "UD-APPROVE-DESIGN", text);
      expect(said).toMatchObject({ code: "R-IN-001", details: { left } });
      expect(said).toMatchObject({
        reason: expect.stringContaining("`yes`, or `changes: ` and what to change"),
      });
      expect(await entry(engine, gateId)).toMatchObject({ state: "pending" });
    }
    const last = await decide(engine, "UD-APPROVE-DESIGN", "changes-requested:");
    expect(last).toMatchObject({ code: "R-IN-001", reason: expect.stringContaining("lockstep resume") });
    expect(await entry(engine, gateId)).toMatchObject({
      state: "cancelled",
      answer: "no valid answer after asking 3 more times",
    });
    expect(await engine.ledger.session(name)).toMatchObject({
      state: "BLOCKED",
      blocker: { code: "mandatory_user_decision_missing", from: "APPROVE_DESIGN" },
    });
    const newest = await engine.ledger.events({ newestFirst: true, limit: 2 });
    expect(newest.map(({ type }) => type)).toEqual(["session.moved", "decision.cancelled"]);
  });

  it("that was blocked is asked again after a resume, which resets the count of invalid answers", async () => {
    const engine = await atGate();
    await decide(engine, gateId, "x");
    expect(await operate(engine, "decide", { id: gateId, cancel: "next week" }, person)).toMatchObject({
      details: { state: "cancelled", answer: "next week" },
    });
    expect(await engine.ledger.session(name)).toMatchObject({
      state: "BLOCKED",
      blocker: { reason: "UD-APPROVE-DESIGN: next week" },
    });
    await move(engine, { type: "resume" });
    expect(await reopenGate(engine, gate, person)).toMatchObject({ allow: true });
    expect(await entry(engine, gateId)).toMatchObject({
      state: "pending",
      answer: null,
      data: { invalid: 0 },
    });
    for (const text of ["a", "b", "c"])
      expect(await decide(engine, gateId, text)).toMatchObject({ code: "R-IN-001" });
    expect(await decide(engine, gateId, "approved")).toMatchObject({ allow: true });
    expect((await engine.ledger.decisions()).map(({ id }) => id)).toEqual([gateId]);
  });

  it("of another session needs its full name", async () => {
    const engine = await atGate();
    engine.sleep(60);
    const later = "2026-02-14_later";
    await openSession(engine, { ...given, name: later }, person);
    await askGate(engine, { ...gate, session: later }, person);
    expect(await decide(engine, "UD-APPROVE-DESIGN", "approved")).toMatchObject({
      code: "R-IN-001",
      details: { ids: [`${later}/UD-APPROVE-DESIGN`, gateId] },
    });
    await decide(engine, `${later}/UD-APPROVE-DESIGN`, "approved: the later one");
    expect(await entry(engine, `${later}/UD-APPROVE-DESIGN`)).toMatchObject({ state: "answered" });
    expect(await entry(engine, gateId)).toMatchObject({ state: "pending" });
    expect(await decide(engine, gateId, "approved")).toMatchObject({ allow: true });
  });

  it.each(["attempt", "orchestrator"] as const)("is not opened by the role %s", async (role) => {
    const engine = await atGate();
    expect(
      await operate(engine, "decide", { id: gateId, answer: "approved" }, { role, task: "T-1" }),
    ).toMatchObject({ code: "R-AU-001" });
    expect(await entry(engine, gateId)).toMatchObject({ state: "pending" });
  });
});

describe("a question of a session", () => {
  const asked: SessionQuestion = {
    ...{ session: name, kind: "question", question: "which rounding?", options: [] },
    ...{ stateContext: "INTAKE", fromSecurity: false, about: ["rounding"] },
  };
  const ask = (engine: Engine, more: Partial<SessionQuestion> = {}) =>
    askSession(engine, { ...asked, ...more }, person);

  it("gets the next number and is asked once, even if a person cancelled it", async () => {
    const engine = await atGate();
    expect(await ask(engine)).toMatchObject({
      ...{ id: "UD-1", kind: "question", task: `${name}/meta`, state: "pending", version: 1 },
      data: { session: name, stateContext: "INTAKE", fromSecurity: false },
    });
    expect(await ask(engine, { about: ["other"] })).toMatchObject({ id: "UD-2" });
    await operate(engine, "decide", { id: "UD-1", cancel: "later" }, person);
    expect(await ask(engine)).toMatchObject({ id: "UD-1", state: "cancelled", answer: "later" });
    expect(await ask(engine, { about: ["third"] })).toMatchObject({ id: "UD-3" });
    expect(await operate(engine, "decide", { id: "UD-2", cancel: " " }, person)).toMatchObject({
      code: "R-IN-001",
    });
  });

  it.each<[string, Partial<SessionQuestion>, string, string | undefined]>([
    ["free text", {}, " half-even: as banks do ", "half-even: as banks do"],
    ["nothing", {}, "  ", undefined],
    ["an option", { options: ["Half even", "up"] }, "half EVEN", "Half even"],
    ["an option and why", { options: ["up", "down"] }, "down: it is cheaper", "down: it is cheaper"],
    ["another option", { options: ["up", "down"] }, "sideways", undefined],
    ["a repair", { kind: "repair", options: ["retry", "accept"] }, "Retry", "retry"],
    [
      "a repair with advice",
      { kind: "repair", options: ["retry", "accept"] },
      "retry: use the other library",
      "retry: use the other library",
    ],
    ["a repair that is not offered", { kind: "repair", options: ["retry"] }, "leave-out", undefined],
    ["words without an option", { kind: "repair", options: ["retry"] }, "try harder", undefined],
  ])("accepts or refuses %s", async (_, more, text, answer) => {
    const engine = await opened();
    await ask(engine, more);
    const said = await decide(engine, "UD-1", text);
    expect(said).toMatchObject(answer === undefined ? { code: "R-IN-001" } : { details: { answer } });
    expect(await entry(engine, "UD-1")).toMatchObject({
      state: answer === undefined ? "pending" : "answered",
      answer: answer ?? null,
    });
  });

  it("without a response is cancelled with that reason, unless it is from security or a gate", async () => {
    const engine = await atGate();
    await ask(engine);
    await ask(engine, { about: ["b"] });
    await ask(engine, { about: ["c"], fromSecurity: true });
    await decide(engine, "UD-2", "up");
    const cancel = (...ids: string[]) =>
      cancelUnanswered(engine, { ids, reason: "no response provided" }, person);
    expect(await cancel("UD-1", "UD-3")).toMatchObject({ code: "R-IN-001", details: { ids: ["UD-3"] } });
    expect(await cancel("UD-1", gateId)).toMatchObject({ code: "R-IN-001", details: { ids: [gateId] } });
    expect(await entry(engine, "UD-1")).toMatchObject({ state: "pending" });
    expect(await cancel("UD-1", "UD-2")).toMatchObject({ details: { ids: ["UD-1"] } });
    expect(await entry(engine, "UD-1")).toMatchObject({ state: "cancelled", answer: "no response provided" });
    expect(await entry(engine, "UD-2")).toMatchObject({ state: "answered" });
    const deferred = { id: "UD-3", cancel: "user deferred: next sprint" };
    expect(await operate(engine, "decide", deferred, person)).toMatchObject({ allow: true });
  });

  it("that no longer matters is skipped with the reason, and may be asked again", async () => {
    const engine = await atGate();
    await ask(engine);
    const skip = (id: string, reason: string) => skipDecision(engine, { id, reason }, person);
    expect(await skip("UD-1", "")).toMatchObject({ code: "R-IN-001" });
    expect(await skip(gateId, "x")).toMatchObject({ code: "R-IN-001" });
    expect(await skip("UD-9", "x")).toMatchObject({ code: "R-IN-001" });
    expect(await skip("UD-1", "the feature was dropped")).toMatchObject({ allow: true });
    expect(await skip("UD-1", "again")).toMatchObject({ code: "R-ST-001" });
    expect(await entry(engine, "UD-1")).toMatchObject({
      state: "skipped",
      answer: "the feature was dropped",
    });
    expect(await ask(engine)).toMatchObject({ id: "UD-2", state: "pending" });
  });
});

describe("the decisions of a session", () => {
  it("are those of its roles, its tasks and its agents, in order", async () => {
    const engine = await atGate();
    await dispatch(engine, packet(`${name}/T-1`, ["src"], { agent: "coder" }));
    engine.sleep(1);
    await askManual(engine, { task: `${name}/T-1`, criterion: "reads well", commit: "b".repeat(40) }, person);
    await askManual(engine, { task: "T-1", criterion: "another's", commit: "c".repeat(40) }, person);
    engine.sleep(1);
    await askLogin(engine, { agent: "coder", reason: "401" }, person);
    await askLogin(engine, { agent: "stranger", reason: "401" }, person);
    const found = await sessionDecisions(engine, name);
    expect(found.map(({ kind }) => kind)).toEqual(["approve-design", "manual", "login"]);
    expect(found.map(({ id }) => id)).toEqual([gateId, "UD-1", "UD-3"]);
  });

  it("are skipped if their task is over", async () => {
    const engine = await opened();
    await dispatch(engine, packet(`${name}/T-1`, ["src"]));
    await askManual(engine, { task: `${name}/T-1`, criterion: "reads well", commit: "b".repeat(40) }, person);
    expect(await skipNeedless(engine, { session: name }, person)).toMatchObject({ details: { ids: [] } });
    await operate(engine, "release", { task: `${name}/T-1` }, person);
    await operate(engine, "task-cancel", { task: `${name}/T-1`, reason: "no need" }, person);
    expect(await skipNeedless(engine, { session: name }, person)).toMatchObject({
      details: { ids: ["UD-1"] },
    });
    expect(await entry(engine, "UD-1")).toMatchObject({ state: "skipped", answer: "its task is over" });
  });
});

describe("a session whose conductor was replaced", () => {
  it("can be moved by the new one only", async () => {
    const engine = await opened();
    const taken = await takeRole(engine, conductorRole(name), person);
    if ("heldBy" in taken) throw new Error("another holder has the role");
    await endRole(engine, taken, person);
    const next = await takeRole(engine, conductorRole(name), person);
    if ("heldBy" in next) throw new Error("the role was given back");
    const event = { type: "intake-done" } as const;
    const late = await moveSession(engine, { session: name, event, facts: met, held: taken }, person);
    expect(late).toMatchObject({ allow: false, code: "R-LS-001" });
    expect(await engine.ledger.session(name)).toMatchObject({ state: "INTAKE", version: 1 });
    const moved = await moveSession(engine, { session: name, event, facts: met, held: next }, person);
    expect(moved).toMatchObject({ state: "DESIGN" });
  });
});
