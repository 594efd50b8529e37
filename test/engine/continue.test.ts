import { describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  runner,
  stateOf,
  storyOf,
  type TestEngine,
} from "../support/memory-engine.ts";

type Limits = NonNullable<Parameters<typeof memoryEngine>[0]>["limits"];
const beat = (engine: TestEngine, tokens: number, cost?: number) =>
  operate(
    engine,
    "heartbeat",
    { task: "T-1", tokens, ...(cost === undefined ? {} : { usage: { cost_usd: cost } }) },
    person,
  );
const decide = (engine: TestEngine, answer: string, id = "UD-1") =>
  operate(engine, "decide", { id, answer }, person);
const open = async (engine: TestEngine) => {
  const found = await operate(engine, "decisions", {}, person);
  return Array.isArray(found) ? found : [];
};
const again = (engine: TestEngine) => dispatch(engine, packet("T-1", ["src"]));

async function halted(limits: Limits = {}, tokens = 50_000, cost?: number) {
  const engine = await memoryEngine({ limits });
  await again(engine);
  expect((await beat(engine, tokens, cost)).code).toBe("R-BG-001");
  return engine;
}

async function overtime() {
  const engine = await memoryEngine();
  await again(engine);
  for (let minute = 0; minute < 15; minute += 1) {
    await beat(engine, 0);
    engine.sleep(60);
  }
  await operate(engine, "watchdog", {}, person);
  return engine;
}

describe("a task that has used up a budget", () => {
  it.each<[string, () => Promise<TestEngine>, string, object]>([
    ["tokens", () => halted(), "50000 more tokens", { signal: "tokens", limit: 50_000 }],
    ["time", overtime, "15 more minutes", { signal: "minutes", limit: 15 }],
    [
      "money",
      () => halted({ costUsd: { warn: 1, halt: 2 } }, 1, 2),
      "$2 more",
      { signal: "cost_usd", limit: 2 },
    ],
  ])(
    "in %s fails and is escalated, and a person is asked in the same commit",
    async (_, make, more, data) => {
      const engine = await make();
      expect((await storyOf(engine, "T-1")).slice(-2)).toEqual([
        "IN_PROGRESS → FAILED",
        "FAILED → ESCALATED",
      ]);
      expect(await open(engine)).toMatchObject([
        { id: "UD-1", kind: "continue", task: "T-1", options: ["continue", "stop"], data },
      ]);
      expect((await open(engine))[0]?.question).toContain(
        `Grant it ${more} (or another amount) and continue, or stop?`,
      );
    },
  );

  it("because of a loop asks no such question", async () => {
    const engine = await memoryEngine();
    await again(engine);
    const { haltTask } = await import("../../src/engine/attempts/halt-task.ts");
    const refusal = { code: "R-BG-001", reason: "it loops", details: {} } as const;
    await haltTask(engine, { task: "T-1", refusal, halt: { signal: "same_call", limit: 10 } }, runner);
    expect(await stateOf(engine, "T-1")).toBe("ESCALATED");
    expect(await open(engine)).toEqual([]);
  });

  it.each<[string, number]>([
    ["continue", 50_000],
    ["yes", 50_000],
    ["continue: 20000", 20_000],
    ["continue 20k tokens", 20_000],
    ["20000", 20_000],
  ])("continues after %j with that number of additional tokens", async (answer, more) => {
    const engine = await halted();
    expect(await decide(engine, answer)).toMatchObject({ allow: true, details: { task_state: "PENDING" } });
    expect(await open(engine)).toEqual([]);
    await again(engine);
    expect((await beat(engine, more - 1)).allow).toBe(true);
    expect(await beat(engine, 1)).toMatchObject({
      code: "R-BG-001",
      details: { halt: { limit: 50_000 + more } },
    });
    expect(await open(engine)).toMatchObject([{ id: "UD-2", kind: "continue" }]);
  });

  it("keeps its review and its retries: continuing is not a fresh start", async () => {
    const engine = await halted();
    const before = await engine.ledger.task("T-1");
    await decide(engine, "continue: 10");
    const after = await engine.ledger.task("T-1");
    expect(after).toMatchObject({
      ...{ state: "PENDING", counters: before?.counters, fixDelta: before?.fixDelta },
      ...{ tokensForgiven: 0, resolution: "continue: 10 more tokens", continued: { minutes: null } },
    });
    await again(engine);
    expect((await engine.ledger.task("T-1"))?.continued).toBeNull();
  });

  it("may use the minutes that a person allows, once", async () => {
    const engine = await overtime();
    await decide(engine, "continue: 5 minutes");
    await again(engine);
    expect((await engine.ledger.attempt("T-1"))?.minutesMax).toBe(5);
    engine.sleep(5 * 60);
    await operate(engine, "watchdog", {}, person);
    expect(await stateOf(engine, "T-1")).toBe("ESCALATED");
    await decide(engine, "continue", "UD-2");
    await again(engine);
    await operate(engine, "release", { task: "T-1" }, person);
    await again(engine);
    expect((await engine.ledger.attempt("T-1"))?.minutesMax).toBe(15);
  });

  it("gets more dollars in the same way as more tokens", async () => {
    const engine = await halted({ costUsd: { warn: 1, halt: 2 } }, 1, 2.1);
    await decide(engine, "$0.5");
    await again(engine);
    expect((await beat(engine, 1, 0.4)).allow).toBe(true);
    expect((await beat(engine, 1, 0.1)).code).toBe("R-BG-001");
  });

  it.each(["stop", "no", "stop: it is not worth it"])("fails permanently after %j", async (answer) => {
    const engine = await halted();
    expect(await decide(engine, answer)).toMatchObject({ allow: true, details: { task_state: "FAILED" } });
    expect((await engine.ledger.task("T-1"))?.refusal?.details).toMatchObject({ cancelled: true });
    expect(await open(engine)).toEqual([]);
  });

  it.each(["continue: much", "continue: 30 minutes", "perhaps", "continue: 0"])(
    "is unchanged after %j, and the answer lists the valid answers",
    async (answer) => {
      const engine = await halted();
      expect(await decide(engine, answer)).toMatchObject({ code: "R-IN-001" });
      expect(await stateOf(engine, "T-1")).toBe("ESCALATED");
      expect(await open(engine)).toHaveLength(1);
    },
  );

  it("drops its question if a person resolves it otherwise, and asks again at the next limit", async () => {
    const engine = await halted();
    await operate(engine, "task-resolve", { task: "T-1", note: "afresh" }, person);
    expect(await open(engine)).toEqual([]);
    expect(await decide(engine, "continue")).toMatchObject({ code: "R-ST-001" });
    await again(engine);
    await beat(engine, 50_000);
    expect(await open(engine)).toMatchObject([{ id: "UD-2" }]);
  });

  it("can be continued only by a person", async () => {
    const engine = await halted();
    const agent = { role: "attempt", task: "T-1", epoch: 1 } as const;
    expect((await operate(engine, "decide", { id: "UD-1", answer: "continue" }, agent)).allow).toBe(false);
    expect(await stateOf(engine, "T-1")).toBe("ESCALATED");
  });
});

it("the session asks about a role that has used up its budget, not the task", async () => {
  const engine = await memoryEngine();
  await dispatch(engine, packet("2026-01-01_x/meta", ["src"]));
  await operate(engine, "heartbeat", { task: "2026-01-01_x/meta", tokens: 50_000 }, person);
  expect(await stateOf(engine, "2026-01-01_x/meta")).toBe("ESCALATED");
  expect(await open(engine)).toEqual([]);
});
