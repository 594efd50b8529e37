import { describe, expect, it } from "vitest";
import { PeriodicWatchdog } from "../../src/engine/attempts/periodic-watchdog.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  result,
  stateOf,
  storyOf,
  submit,
} from "../support/memory-engine.ts";

const beat = (
  engine: Awaited<ReturnType<typeof memoryEngine>>,
  task: string,
  call: Call = person,
  tokens?: number,
) => operate(engine, "heartbeat", tokens === undefined ? { task } : { task, tokens }, call);
const tick = (engine: Awaited<ReturnType<typeof memoryEngine>>) => operate(engine, "watchdog", {}, person);

describe("a lease", () => {
  it("times out after the timeout since the last heartbeat, not exactly at it", async () => {
    const engine = await memoryEngine({ limits: { minutes: { warn: null, halt: null } } });
    await dispatch(engine, packet("T-1", ["src"]));
    engine.sleep(600);
    expect((await beat(engine, "T-1")).allow).toBe(true);
    engine.sleep(600);
    expect((await tick(engine)).allow).toBe(true);
    engine.sleep(1);
    expect(await beat(engine, "T-1")).toMatchObject({ code: "R-LS-001" });
    expect(await tick(engine)).toMatchObject({
      code: "R-WD-001",
      details: {
        timed_out: [{ task_id: "T-1", timeout_seconds: 600, age_seconds: 601 }],
        actions: [
          { action: "release_locks", task_id: "T-1" },
          { action: "block", task_id: "T-1", code: "R-WD-001" },
        ],
        applied: [{ task_id: "T-1", epoch: 1, end: "late", state: "BLOCKED" }],
      },
    });
    expect(await engine.ledger.locks({ active: true })).toEqual([]);
    expect(await engine.ledger.task("T-1")).toMatchObject({
      state: "BLOCKED",
      refusal: { code: "R-WD-001" },
    });
  });

  it("that timed out twice fails the task and escalates it", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    engine.sleep(601);
    await tick(engine);
    await dispatch(engine, packet("T-1", ["src"], { context_revision: 1 }));
    engine.sleep(601);
    await tick(engine);
    expect(await storyOf(engine, "T-1")).toEqual([
      "· → PENDING",
      "PENDING → IN_PROGRESS",
      "IN_PROGRESS → BLOCKED",
      "BLOCKED → PENDING",
      "PENDING → IN_PROGRESS",
      "IN_PROGRESS → FAILED",
      "FAILED → ESCALATED",
    ]);
  });

  it("that timed out is reclaimed by the next dispatch that needs its locks, even without a watchdog", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    engine.sleep(601);
    expect((await dispatch(engine, packet("T-2", ["src/a"]))).allow).toBe(true);
    expect(await stateOf(engine, "T-1")).toBe("BLOCKED");
  });

  it("does not survive a reboot", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    engine.reboot();
    expect((await beat(engine, "T-1")).code).toBe("R-LS-001");
    expect((await tick(engine)).code).toBe("R-WD-001");
    expect(await stateOf(engine, "T-1")).toBe("BLOCKED");
  });

  it("keeps its locks after a denied result until it ends", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await submit(engine, "T-1", { nonsense: true });
    expect((await dispatch(engine, packet("T-2", ["src"]))).code).toBe("R-PD-003");
    engine.sleep(601);
    await tick(engine);
    expect(await stateOf(engine, "T-1")).toBe("BLOCKED");
    expect(await stateOf(engine, "T-2")).toBe("PENDING");
    expect((await dispatch(engine, packet("T-2", ["src"]))).allow).toBe(true);
  });
});

describe("a dead runner", () => {
  it("does not count as a timeout: the task is free at once and no budget is charged", async () => {
    const engine = await memoryEngine();
    await operate(engine, "dispatch", { packet: packet("T-1", ["src"]), runnerPid: 77 }, person);
    expect((await tick(engine)).allow).toBe(true);
    engine.dead.add(77);
    expect(await tick(engine)).toMatchObject({
      allow: true,
      details: { applied: [{ end: "lost", state: "PENDING" }] },
    });
    expect(await storyOf(engine, "T-1")).toEqual(
      expect.arrayContaining(["IN_PROGRESS → BLOCKED", "BLOCKED → PENDING"]),
    );
    expect(await engine.ledger.task("T-1")).toMatchObject({
      refusal: { reason: "runner_lost" },
      counters: { block_retries: 0, review_retries: 0 },
    });
  });
});

describe("a stale attempt", () => {
  it("is refused in every operation", async () => {
    const engine = await memoryEngine();
    const first = await dispatch(engine, packet("T-1", ["src"]));
    engine.sleep(601);
    await tick(engine);
    const second = await dispatch(engine, packet("T-1", ["src"], { context_revision: 1 }));
    const old: Call = { role: "person", epoch: first.details?.epoch as number };
    for (const epoch of [old.epoch ?? 0, 0, 99]) {
      const call: Call = { role: "person", epoch };
      expect((await beat(engine, "T-1", call)).code).toBe("R-LS-001");
      expect((await submit(engine, "T-1", result("T-1"), call)).code).toBe("R-LS-001");
      expect((await operate(engine, "complete", { task: "T-1" }, call)).code).toBe("R-LS-001");
      expect((await operate(engine, "release", { task: "T-1" }, call)).code).toBe("R-LS-001");
      expect((await operate(engine, "widen", { task: "T-1", paths: ["lib"], why: "x" }, call)).code).toBe(
        "R-LS-001",
      );
    }
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
    expect(
      (await beat(engine, "T-1", { role: "person", epoch: second.details?.epoch as number })).allow,
    ).toBe(true);
  });

  it("is recognized by its token too, and an agent must give its epoch", async () => {
    const engine = await memoryEngine();
    const { details } = await dispatch(engine, packet("T-1", ["src"]));
    const agent = { role: "attempt", task: "T-1", epoch: 1, token: details?.token as string } as const;
    expect((await beat(engine, "T-1", agent)).allow).toBe(true);
    expect((await beat(engine, "T-1", { ...agent, token: "x" })).code).toBe("R-LS-001");
    const { epoch: _epoch, ...unsaid } = agent;
    expect((await beat(engine, "T-1", unsaid)).code).toBe("R-LS-001");
    expect((await operate(engine, "release", { task: "T-1" }, { ...agent, epoch: 0 })).code).toBe("R-LS-001");
  });

  it.each([
    "complete",
    "release",
    "task-resolve",
    "task-cancel",
    "dispatch",
    "watchdog",
    "pause",
    "decide",
  ] as const)("or a current one may not call %s", async (name) => {
    const engine = await memoryEngine();
    const { details } = await dispatch(engine, packet("T-1", ["src"]));
    const agent = { role: "attempt", task: "T-1", epoch: 1, token: details?.token as string } as const;
    expect(await operate(engine, name, { task: "T-1" } as never, agent)).toMatchObject({ code: "R-AU-001" });
  });

  it("may not call operations on another task", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await dispatch(engine, packet("T-2", ["lib"]));
    for (const epoch of [1, 2])
      expect((await beat(engine, "T-2", { role: "attempt", task: "T-1", epoch })).code).toBe("R-AU-001");
  });
});

describe("budgets", () => {
  it("add up tokens, warn once and halt at the limit", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    expect((await beat(engine, "T-1", person, 34_999)).details?.warning).toBeUndefined();
    expect((await beat(engine, "T-1", person, 1)).details?.warning).toContain("35000 tokens");
    await beat(engine, "T-1", person, 1);
    expect((await engine.ledger.events({ type: "task.warned" })).length).toBe(1);
    expect(await beat(engine, "T-1", person, 14_999)).toMatchObject({
      code: "R-BG-001",
      details: { state: "ESCALATED" },
    });
    expect(await engine.ledger.task("T-1")).toMatchObject({
      tokens: 50_000,
      refusal: { code: "R-BG-001", details: { halt: { signal: "tokens" } } },
    });
    expect(await engine.ledger.locks({ active: true })).toEqual([]);
  });

  it("ignore tokens that were spent before a person resolved the task", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await beat(engine, "T-1", person, 60_000);
    await operate(engine, "task-resolve", { task: "T-1", note: "go on" }, person);
    await dispatch(engine, packet("T-1", ["src"]));
    expect((await beat(engine, "T-1", person, 10_000)).details).toMatchObject({ tokens: 70_000 });
    expect((await beat(engine, "T-1", person, 40_000)).code).toBe("R-BG-001");
  });

  it("of time warn at ten minutes and halt at fifteen, even if the agent is active", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    const codes: string[] = [];
    const warnings: number[] = [];
    for (let minute = 1; minute <= 15; minute += 1) {
      engine.sleep(60);
      if (minute < 15) await beat(engine, "T-1");
      codes.push((await tick(engine)).code);
      warnings.push((await engine.ledger.events({ type: "task.warned" })).length);
    }
    expect(codes).toEqual([...Array(14).fill("OK"), "R-BG-001"]);
    expect(warnings).toEqual([...Array(9).fill(0), ...Array(6).fill(1)]);
    expect(await stateOf(engine, "T-1")).toBe("ESCALATED");
  });

  it("of time give way to a timeout of the lease", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    engine.sleep(3600);
    expect((await tick(engine)).code).toBe("R-WD-001");
  });
});

describe("the watchdog of a long-lived process", () => {
  it("gives every attempt one full lease after the machine slept", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    const watchdog = new PeriodicWatchdog(engine, 10_000);
    engine.sleep(3600);
    expect(await watchdog.tick()).toMatchObject({ slept: true, verdict: { allow: true } });
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
    for (let tenSeconds = 0; tenSeconds < 60; tenSeconds += 1) {
      engine.sleep(10);
      expect((await watchdog.tick()).verdict.allow).toBe(true);
    }
    engine.sleep(10);
    expect((await watchdog.tick()).verdict.code).toBe("R-WD-001");
  });

  it("reclaims leases on time while the machine is awake", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    const watchdog = new PeriodicWatchdog(engine, 10_000);
    const codes = new Set<string>();
    for (let tenSeconds = 0; tenSeconds < 61; tenSeconds += 1) {
      engine.sleep(10);
      codes.add((await watchdog.tick()).verdict.code);
    }
    expect([...codes]).toEqual(["OK", "R-WD-001"]);
  });
});

describe("a reboot", () => {
  it("does not count as a timeout if the runner is known", async () => {
    const engine = await memoryEngine();
    await operate(engine, "dispatch", { packet: packet("T-1", ["src"]), runnerPid: 77 }, person);
    engine.reboot();
    await tick(engine);
    expect(await engine.ledger.task("T-1")).toMatchObject({
      state: "PENDING",
      refusal: { reason: "runner_lost" },
      counters: { block_retries: 0 },
    });
  });
});
