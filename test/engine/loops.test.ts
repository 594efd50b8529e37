import { describe, expect, it } from "vitest";
import { haltTask, warnTask } from "../../src/engine/attempts/halt-task.ts";
import type { HeartbeatInput } from "../../src/engine/attempts/heartbeat.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { refuseLanding } from "../../src/engine/landing/finish-landing.ts";
import { operate } from "../../src/engine/operate.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  runner,
  stateOf,
  storyOf,
  submit,
  type TestEngine,
} from "../support/memory-engine.ts";

type Report = Omit<HeartbeatInput, "task">;
const beat = (engine: TestEngine, report: Report, call: Call = person, task = "T-1") =>
  operate(engine, "heartbeat", { task, ...report }, call);
const usageOf = async (engine: TestEngine, task = "T-1") =>
  (await operate(engine, "task-show", { task }, person)) as { usage: unknown };
const priced = { costUsd: { warn: 0.5, halt: 1 } };

async function started(limits: Parameters<typeof memoryEngine>[0] = {}) {
  const engine = await memoryEngine(limits);
  await dispatch(engine, packet("T-1", ["src"]));
  return engine;
}

describe("usage", () => {
  it("adds up over all attempts of a task and is shown, with null for unknown figures", async () => {
    const engine = await started();
    expect((await usageOf(engine)).usage).toEqual({
      ...{ tokens: 0, input: null, cached: null, output: null, cost_usd: null },
    });
    await beat(engine, { tokens: 30, usage: { input: 20, cached: 500, output: 10 } });
    await beat(engine, { tokens: 7, usage: { output: 7, cost_usd: 0.1 } });
    await operate(engine, "release", { task: "T-1" }, person);
    await dispatch(engine, packet("T-1", ["src"]));
    await beat(engine, { usage: { cost_usd: 0.2 } });
    expect((await usageOf(engine)).usage).toEqual({
      ...{ tokens: 37, input: 20, cached: 500, output: 17, cost_usd: 0.3 },
    });
    await dispatch(engine, packet("T-2", ["lib"]));
    expect(await operate(engine, "status", {}, person)).toMatchObject({ cost_usd: 0.3 });
    await beat(engine, { usage: { cost_usd: 0.05 } }, person, "T-2");
    expect(await operate(engine, "status", {}, person)).toMatchObject({ cost_usd: 0.35 });
  });

  it("with a price alone leaves the kinds of tokens unknown, and an unknown price is null", async () => {
    const engine = await started();
    expect(await operate(engine, "status", {}, person)).toMatchObject({ cost_usd: null });
    await beat(engine, { usage: { cost_usd: 0 } });
    expect((await usageOf(engine)).usage).toMatchObject({ input: null, cost_usd: 0 });
    expect(await operate(engine, "status", {}, person)).toMatchObject({ cost_usd: 0 });
  });

  it("is reported by the process that runs the agent: the agent itself may only add tokens", async () => {
    const engine = await started({ limits: priced });
    const agent: Call = { role: "attempt", task: "T-1", epoch: 1 };
    for (const report of [{ usage: { cost_usd: 0 } }, { conversation: "c-1" }, { tokens: 1, usage: {} }])
      expect(await beat(engine, report, agent)).toMatchObject({ code: "R-AU-001" });
    expect(await beat(engine, { usage: { cost_usd: 0 } }, { role: "orchestrator" })).toMatchObject({
      code: "R-AU-001",
    });
    expect((await beat(engine, { tokens: 5 }, agent)).allow).toBe(true);
    expect(await engine.ledger.task("T-1")).toMatchObject({ tokens: 5 });
    expect((await engine.ledger.task("T-1"))?.usage).toBeUndefined();
  });

  it.each([-1, Number.NaN, Infinity])("of %d is refused", async (cost) => {
    const engine = await started();
    expect(await beat(engine, { usage: { cost_usd: cost } })).toMatchObject({ code: "R-IN-001" });
    expect((await engine.ledger.task("T-1"))?.usage).toBeUndefined();
  });

  it("of an attempt that is over is refused", async () => {
    const engine = await started();
    await operate(engine, "release", { task: "T-1" }, person);
    expect(await beat(engine, { usage: { cost_usd: 1 } }, { role: "person", epoch: 1 })).toMatchObject({
      code: "R-LS-001",
    });
  });
});

describe("a conversation", () => {
  it("is stored with its attempt, and not with the next one", async () => {
    const engine = await started();
    await beat(engine, { conversation: "0199-abc_d" });
    await beat(engine, { tokens: 1 });
    expect(await engine.ledger.attempt("T-1")).toMatchObject({ conversation: "0199-abc_d", tokens: 1 });
    await operate(engine, "release", { task: "T-1" }, person);
    await dispatch(engine, packet("T-1", ["src"]));
    expect((await engine.ledger.attempt("T-1"))?.conversation).toBeUndefined();
  });

  it.each(["", "--dangerous", "a b", "x\ny", "a".repeat(201)])(
    "%j is not a valid name: it would become an argument",
    async (conversation) => {
      expect(await beat(await started(), { conversation })).toMatchObject({ code: "R-IN-001" });
    },
  );
});

describe("the price of a task", () => {
  it("warns once per attempt and halts at its limit, with the facts at that time", async () => {
    const engine = await started({ limits: priced });
    expect((await beat(engine, { usage: { cost_usd: 0.49 } })).details?.warning).toBeUndefined();
    expect((await beat(engine, { usage: { cost_usd: 0.01 } })).details?.warning).toBe(
      "$0.5 spent, the task is halted at $1",
    );
    await beat(engine, { usage: { cost_usd: 0.3 } });
    expect(await engine.ledger.events({ type: "task.warned" })).toMatchObject([
      { data: { signal: "cost_usd", cost_usd: 0.5, warn: 0.5, halt: 1 } },
    ]);
    expect(await beat(engine, { tokens: 12, usage: { cost_usd: 0.2 } })).toMatchObject({
      code: "R-BG-001",
      reason: "task `T-1` has spent $1; its limit is $1",
      details: { state: "ESCALATED" },
    });
    expect(await engine.ledger.task("T-1")).toMatchObject({
      usage: { costUsd: 1 },
      refusal: {
        code: "R-BG-001",
        details: {
          halt: {
            ...{ signal: "cost_usd", cost_usd: 1, limit: 1 },
            captured: { attempt: 1, tokens: 12, cost_usd: 1, review_retries: 0, last_refusal: null },
          },
        },
      },
    });
    expect(await storyOf(engine, "T-1")).toEqual([
      "· → PENDING",
      "PENDING → IN_PROGRESS",
      "IN_PROGRESS → FAILED",
      "FAILED → ESCALATED",
    ]);
    expect(await engine.ledger.locks({ active: true })).toEqual([]);
  });

  it("does not count what was spent before a person resolved the task, but still shows it", async () => {
    const engine = await started({ limits: priced });
    await beat(engine, { usage: { cost_usd: 1.2 } });
    await operate(engine, "task-resolve", { task: "T-1", note: "go on" }, person);
    await dispatch(engine, packet("T-1", ["src"]));
    expect((await beat(engine, { usage: { cost_usd: 0.9 } })).allow).toBe(true);
    expect((await usageOf(engine)).usage).toMatchObject({ cost_usd: 2.1 });
    expect((await beat(engine, { usage: { cost_usd: 0.1 } })).code).toBe("R-BG-001");
  });

  it("has no limit unless one is set", async () => {
    const engine = await started();
    expect((await beat(engine, { usage: { cost_usd: 1e6 } })).details?.warning).toBeUndefined();
  });

  it("warns separately from its tokens", async () => {
    const engine = await started({ limits: priced });
    const { details } = await beat(engine, { tokens: 40_000, usage: { cost_usd: 0.6 } });
    expect(details?.warning).toBe(
      "40000 tokens spent, the task is halted at 50000; $0.6 spent, the task is halted at $1",
    );
    expect(await engine.ledger.attempt("T-1")).toMatchObject({ warned: ["tokens", "cost_usd"] });
  });
});

describe("a halt", () => {
  const refusal = { code: "R-BG-001", reason: "it loops", details: {} } as const;
  const halt = { signal: "same_call", count: 10, limit: 10, fingerprint: "f", last: ["Bash: ls"] };

  it("fails the task with the captured facts, frees its locks, and escalates it", async () => {
    const engine = await started();
    await beat(engine, { tokens: 99 });
    const call: Call = { role: "runner", epoch: 1 };
    expect(await haltTask(engine, { task: "T-1", refusal, halt }, call)).toMatchObject({
      code: "R-BG-001",
      reason: "it loops",
      details: { state: "ESCALATED" },
    });
    expect(await engine.ledger.events({ type: "task.halted" })).toMatchObject([
      { data: { refusal: { details: { halt: { ...halt, captured: { attempt: 1, tokens: 99 } } } } } },
    ]);
    expect((await storyOf(engine, "T-1")).slice(-2)).toEqual(["IN_PROGRESS → FAILED", "FAILED → ESCALATED"]);
    expect(await engine.ledger.locks({ active: true })).toEqual([]);
    expect(await beat(engine, {}, call)).toMatchObject({ code: "R-LS-001" });
  });

  it("keeps the code of the last refusal if that is the cause", async () => {
    const engine = await started();
    await submit(engine, "T-1");
    const refused = { allow: false, code: "R-PC-003", reason: "nothing was changed", details: {} } as const;
    await refuseLanding(engine, { branch: "b", task: "T-1", refused }, person);
    expect(await stateOf(engine, "T-1")).toBe("REJECTED");
    const task = await engine.ledger.task("T-1");
    const input = { task: "T-1", refusal: task?.refusal ?? refusal, halt: { signal: "stalled", cycles: 2 } };
    await haltTask(engine, input, runner);
    expect(await engine.ledger.task("T-1")).toMatchObject({
      state: "ESCALATED",
      refusal: {
        code: "R-PC-003",
        details: { halt: { signal: "stalled", captured: { last_refusal: { code: "R-PC-003" } } } },
      },
    });
  });

  it("of an older attempt, of work in review or of an unknown task changes nothing", async () => {
    const engine = await started();
    const stale = { role: "runner", epoch: 7 } as const;
    expect((await haltTask(engine, { task: "T-1", refusal, halt }, stale)).code).toBe("R-LS-001");
    await submit(engine, "T-1");
    expect((await haltTask(engine, { task: "T-1", refusal, halt }, runner)).code).toBe("R-ST-001");
    expect(await stateOf(engine, "T-1")).toBe("REVIEW");
    expect((await haltTask(engine, { task: "T-9", refusal, halt }, runner)).code).toBe("R-IN-001");
  });

  it("stores no secret from the agent's output", async () => {
    const engine = await started();
    const secret = `AKIA${"ABCDEFGHIJKLMNOP"}`;
    await haltTask(engine, { task: "T-1", refusal, halt: { ...halt, last: [`key ${secret}`] } }, runner);
    expect(JSON.stringify(await engine.ledger.events())).not.toContain(secret);
    expect(JSON.stringify(await engine.ledger.task("T-1"))).not.toContain(secret);
  });
});

describe("a warning", () => {
  it("is recorded, and the task continues", async () => {
    const engine = await started();
    const warning = { signal: "same_output", count: 2, fingerprint: "f", reason: "twice" };
    expect((await warnTask(engine, { task: "T-1", warning }, { role: "runner", epoch: 1 })).allow).toBe(true);
    expect(await engine.ledger.events({ type: "task.warned" })).toMatchObject([
      { task: "T-1", data: warning },
    ]);
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
    const stale = { role: "runner", epoch: 9 } as const;
    expect((await warnTask(engine, { task: "T-1", warning }, stale)).code).toBe("R-LS-001");
  });

  it("is added when work that changed nothing is refused", async () => {
    const engine = await started();
    await submit(engine, "T-1");
    const details = { signal: "unchanged_edit" };
    const refused = { allow: false, code: "R-PC-003", reason: "nothing was changed", details } as const;
    await refuseLanding(engine, { branch: "b", task: "T-1", refused }, person);
    expect(await engine.ledger.events({ type: "task.warned" })).toMatchObject([
      { task: "T-1", data: { signal: "unchanged_edit", reason: "nothing was changed" } },
    ]);
    await dispatch(engine, packet("T-1", ["src"]));
    expect(await engine.ledger.task("T-1")).toMatchObject({ counters: { review_retries: 1 } });
  });
});

describe("delegation", () => {
  const given = (id: string, agent: string | null, by?: unknown) =>
    packet(id, [`src/${id}`], {
      ...(agent === null ? {} : { agent }),
      ...(by === undefined ? {} : { delegated_by: by }),
    });

  it("over two steps is allowed; over three steps it is refused and stores nothing", async () => {
    const engine = await memoryEngine();
    expect((await dispatch(engine, given("T-1", "a", "lead"))).allow).toBe(true);
    expect((await dispatch(engine, given("T-2", "b", "T-1"))).allow).toBe(true);
    expect(await dispatch(engine, given("T-3", "c", "T-2"))).toMatchObject({
      code: "R-BG-001",
      reason: expect.stringContaining("over 3 steps, but the limit is 2"),
      details: { signal: "delegation_depth", depth: 3, limit: 2 },
    });
    expect(await engine.ledger.task("T-3")).toBeUndefined();
    expect(await stateOf(engine, "T-2")).toBe("IN_PROGRESS");
  });

  it("has a limit of its own", async () => {
    const engine = await memoryEngine({ limits: { delegationDepth: 1 } });
    await dispatch(engine, given("T-1", "a"));
    expect((await dispatch(engine, given("T-2", "b", "T-1"))).code).toBe("R-BG-001");
  });

  it.each<[string, string, string]>([
    ["to itself", "b", "b"],
    ["of its own task", "a", "T-2"],
    ["back to the one who delegated it", "lead", "T-1"],
    ["back to the agent of the task before", "a", "T-1"],
  ])("%s halts the task at once", async (_name, agent, by) => {
    const engine = await memoryEngine();
    await dispatch(engine, given("T-1", "a", "lead"));
    expect(await dispatch(engine, given("T-2", agent, by))).toMatchObject({
      code: "R-BG-001",
      details: { state: "ESCALATED", halt: { signal: "circular_delegation" } },
    });
    expect(await storyOf(engine, "T-2")).toEqual([
      "· → PENDING",
      "PENDING → BLOCKED",
      "BLOCKED → FAILED",
      "FAILED → ESCALATED",
    ]);
    expect(await engine.ledger.locks({ task: "T-2" })).toEqual([]);
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
  });

  it("that becomes circular when rejected work is delegated again halts that work", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, given("T-1", "a"));
    await dispatch(engine, given("T-2", "b", "T-1"));
    await submit(engine, "T-2");
    const refused = { allow: false, code: "R-PC-002", reason: "red", details: {} } as const;
    await refuseLanding(engine, { branch: "b", task: "T-2", refused }, person);
    expect((await dispatch(engine, given("T-2", "a"))).code).toBe("R-BG-001");
    expect(await stateOf(engine, "T-2")).toBe("ESCALATED");
  });

  it("between agents without names only counts the steps", async () => {
    const engine = await memoryEngine();
    expect((await dispatch(engine, given("T-1", null))).allow).toBe(true);
    expect((await dispatch(engine, given("T-2", null, "T-1"))).allow).toBe(true);
    expect((await dispatch(engine, given("T-3", null, "T-2"))).code).toBe("R-BG-001");
  });

  it("names tasks of the same session by their ids", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, given("2026-02-14_x/T-1", "a"));
    const second = given("2026-02-14_x/T-2", "a", "T-1");
    expect((await dispatch(engine, second)).details).toMatchObject({
      halt: { signal: "circular_delegation", chain: ["a", "a"] },
    });
  });

  it.each([7, {}, ["T-1"], "a\nb", " "])("by %j is refused as malformed", async (by) => {
    const engine = await memoryEngine();
    expect((await dispatch(engine, given("T-1", "a", by))).code).toBe("R-IN-001");
    expect(await engine.ledger.task("T-1")).toBeUndefined();
  });

  it("in a dry run changes nothing", async () => {
    const engine = await memoryEngine();
    const dry: Call = { role: "person", dryRun: true };
    expect((await dispatch(engine, given("T-1", "a", "a"), dry)).code).toBe("R-BG-001");
    expect(await engine.ledger.task("T-1")).toBeUndefined();
  });
});
