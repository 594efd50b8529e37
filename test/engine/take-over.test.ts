import { describe, expect, it } from "vitest";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  result,
  stateOf,
  submit,
  type TestEngine,
} from "../support/memory-engine.ts";

const agent: Call = { role: "attempt", task: "T-1", epoch: 1 };

async function working() {
  const engine = await memoryEngine();
  await operate(engine, "dispatch", { packet: packet("T-1", ["src"]), runnerPid: 7 }, person);
  return engine;
}

const heldBy = async (engine: TestEngine, task: string) =>
  (await engine.ledger.locks({ task, active: true })).map(({ resource, epoch }) => `${resource}#${epoch}`);

describe("a task that a person stops", () => {
  it("releases its locks, and its agent is refused from then on", async () => {
    const engine = await working();
    expect(await dispatch(engine, packet("T-2", ["src/a"]))).toMatchObject({ code: "R-PD-003" });
    expect(await operate(engine, "stop", { task: "T-1" }, person)).toMatchObject({
      allow: true,
      details: { state: "BLOCKED" },
    });
    expect((await operate(engine, "heartbeat", { task: "T-1" }, agent)).code).toBe("R-LS-001");
    expect((await operate(engine, "submit", { task: "T-1", document: result("T-1") }, agent)).code).toBe(
      "R-LS-001",
    );
    expect(await heldBy(engine, "T-1")).toEqual([]);
    expect(await stateOf(engine, "T-2")).toBe("PENDING");
    expect(await operate(engine, "reconcile", {}, person)).toMatchObject({ problems: [] });
  });

  it("does not start until a person retries it, which costs nothing", async () => {
    const engine = await working();
    await operate(engine, "stop", { task: "T-1" }, person);
    for (const role of ["person", "orchestrator"] as const)
      expect(await dispatch(engine, packet("T-1", ["src", "more"]), { role })).toMatchObject({
        code: "R-ST-001",
        reason: expect.stringContaining("`lockstep task retry T-1`"),
      });
    engine.sleep(10_000);
    await operate(engine, "watchdog", {}, person);
    expect(await stateOf(engine, "T-1")).toBe("BLOCKED");
    expect(await operate(engine, "task-retry", { task: "T-1" }, person)).toMatchObject({
      details: { state: "PENDING" },
    });
    expect((await engine.ledger.task("T-1"))?.counters).toMatchObject({
      block_retries: 0,
      review_retries: 0,
    });
    expect((await dispatch(engine, packet("T-1", ["src"]))).details).toMatchObject({ attempt: 2 });
  });

  it("must be in progress", async () => {
    const engine = await working();
    await submit(engine, "T-1", undefined, agent);
    expect((await operate(engine, "stop", { task: "T-1" }, person)).code).toBe("R-ST-001");
    expect((await operate(engine, "stop", { task: "T-9" }, person)).code).toBe("R-IN-001");
  });
});

describe("a task that a person takes over", () => {
  const taken = async () => {
    const engine = await working();
    const verdict = await operate(engine, "take", { task: "T-1" }, person);
    expect(verdict).toMatchObject({ allow: true, details: { state: "IN_PROGRESS", attempt: 1, epoch: 2 } });
    return engine;
  };

  it("keeps its locks under a new epoch, without a timeout and without a runner", async () => {
    const engine = await taken();
    expect(await heldBy(engine, "T-1")).toEqual(["src#2", "worklogs/T-1.md#2"]);
    engine.dead.add(7);
    engine.sleep(100_000);
    expect((await operate(engine, "watchdog", {}, person)).allow).toBe(true);
    expect((await dispatch(engine, packet("T-2", ["src/a"]))).code).toBe("R-PD-003");
    expect(await operate(engine, "status", { task: "T-1" }, person)).toMatchObject({
      tasks: [{ state: "IN_PROGRESS", attempts: 1, alive: { lease: "held", lease_expires_at: null } }],
    });
    expect(await operate(engine, "reconcile", {}, person)).toMatchObject({ problems: [] });
  });

  it("refuses its former agent and every dispatch", async () => {
    const engine = await taken();
    for (const [name, more] of [
      ["heartbeat", {}],
      ["submit", { document: result("T-1") }],
      ["widen", { paths: ["docs"], why: "x" }],
    ] as const)
      expect((await operate(engine, name, { task: "T-1", ...more } as never, agent)).code).toBe("R-LS-001");
    expect((await dispatch(engine, packet("T-1", ["src"]))).code).toBe("R-ST-001");
  });

  it("can be taken over again, which changes nothing", async () => {
    const engine = await taken();
    expect((await operate(engine, "take", { task: "T-1" }, person)).details).toMatchObject({ epoch: 2 });
    expect(await engine.ledger.events({ type: "task.taken" })).toHaveLength(1);
  });

  it("can be widened and submitted", async () => {
    const engine = await taken();
    const wider = await operate(engine, "widen", { task: "T-1", paths: ["docs"], why: "x" }, person);
    expect(wider.details).toMatchObject({ granted: ["docs"] });
    expect((await submit(engine, "T-1")).details).toMatchObject({ state: "REVIEW" });
  });

  it.each<[string, (engine: TestEngine) => Promise<unknown>, string]>([
    ["is stopped", (engine) => operate(engine, "stop", { task: "T-1" }, person), "BLOCKED"],
    ["is released", (engine) => operate(engine, "release", { task: "T-1" }, person), "PENDING"],
    ["is refused when it is handed in", (engine) => submit(engine, "T-1", { status: "?" }), "BLOCKED"],
    [
      "is reported as blocked",
      (engine) => submit(engine, "T-1", { status: "BLOCKED", summary: "x" }),
      "BLOCKED",
    ],
    [
      "is escalated",
      (engine) => operate(engine, "task-escalate", { task: "T-1", reason: "x" }, person),
      "ESCALATED",
    ],
  ])("does not keep its locks forever after it %s", async (_name, end, state) => {
    const engine = await taken();
    await end(engine);
    engine.sleep(1000);
    await operate(engine, "watchdog", {}, person);
    expect(await stateOf(engine, "T-1")).toBe(state);
    expect(await heldBy(engine, "T-1")).toEqual([]);
  });

  it("must be in progress", async () => {
    const engine = await working();
    await submit(engine, "T-1", undefined, agent);
    expect(await operate(engine, "take", { task: "T-1" }, person)).toMatchObject({
      code: "R-ST-001",
      reason: expect.stringContaining("only work in progress can be taken over"),
    });
  });
});
