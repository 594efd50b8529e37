import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/clients/agent.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { Heartbeats } from "../../src/run/attempt/heartbeats.ts";
import { LoopGuard } from "../../src/run/attempt/loop-guard.ts";
import { dispatch, memoryEngine, packet, person, runner, stateOf } from "../support/memory-engine.ts";
import { eventually } from "../support/run-command.ts";

const limits = { sameError: 3, tokens: { warn: 35_000, halt: 50_000 } };
const bash = (command: string): AgentEvent => ({
  ...{ type: "tool", name: "Bash", text: command, input: { command } },
});
const gives = (text: string): AgentEvent => ({ type: "tool-result", text });
const refused = gives("hook error: R-PW-001: `lib/x.ts` lies outside the lock scope");
const times = (count: number, event: AgentEvent) => Array.from({ length: count }, () => event);

describe("a loop guard", () => {
  it("detects loops in the tool calls of clients, and ignores text and usage", () => {
    const guard = new LoopGuard(limits);
    for (const event of times(30, { type: "said", text: "R-PW-001: `a` lies outside the lock scope" }))
      expect(guard.see(event)).toBeUndefined();
    for (const event of times(30, { type: "usage", tokens: 9_999 })) expect(guard.see(event)).toBeUndefined();
    expect(times(3, bash("ls")).map((event) => guard.see(event)?.signal)).toEqual([
      ...[undefined, undefined, "same_call"],
    ]);
  });

  it("keeps the last actions of the agent for the report of a halt, one short line each", () => {
    const guard = new LoopGuard(limits);
    for (let at = 0; at < 20; at += 1) guard.see(bash(`step ${at}\n${"x".repeat(at * 20)}`));
    const signal = times(3, refused).map((event) => guard.see(event))[2];
    expect(signal).toMatchObject({ level: "halt", signal: "refused_write", count: 3, limit: 3 });
    if (signal === undefined) return;
    const { refusal, halt } = guard.haltOf("T-1", signal);
    expect(refusal).toMatchObject({
      code: "R-BG-001",
      reason: "task `T-1` is in a loop: writing `lib/x.ts` was refused 3 times (R-PW-001)",
    });
    const last = halt.last as readonly string[];
    expect(last).toHaveLength(10);
    expect(last.every((line) => line.length <= 200 && !line.includes("\n"))).toBe(true);
    expect(last.at(-1)).toContain("R-PW-001");
    expect(last[0]).toMatch(/^Bash: step 13 /);
  });
});

async function following() {
  const engine = await memoryEngine({ limits: { costUsd: { warn: 0.5, halt: 1 } } });
  await dispatch(engine, packet("T-1", ["src"]));
  const call: Call = { ...runner, epoch: 1 };
  const stop = new AbortController();
  const heartbeats = new Heartbeats({ engine }, { task: "T-1", call, stop: stop.signal });
  let ends = 0;
  const follow = () => heartbeats.follow(() => (ends += 1));
  return { engine, heartbeats, stop, follow, ends: () => ends };
}

describe("heartbeats", () => {
  it("carry the usage in total and the conversation, once", async () => {
    const { engine, heartbeats } = await following();
    heartbeats.see({ type: "usage", tokens: 10, input: 4, cached: 100, output: 6, costUsd: 0.1 });
    heartbeats.see({ type: "usage", tokens: 5, output: 5, costUsd: 0.2 });
    heartbeats.see({ type: "usage", tokens: Number.NaN, input: -5, costUsd: Infinity });
    heartbeats.see({ type: "conversation", id: "--not-an-id" });
    heartbeats.see({ type: "conversation", id: "c-1" });
    await heartbeats.finish();
    await heartbeats.finish();
    expect(await engine.ledger.task("T-1")).toMatchObject({
      tokens: 15,
      usage: { input: 4, cached: 100, output: 11, costUsd: 0.3 },
    });
    expect(await engine.ledger.attempt("T-1")).toMatchObject({ conversation: "c-1", tokens: 15 });
    expect({ lost: heartbeats.lost, fault: heartbeats.fault }).toEqual({});
  });

  it("carry no price if none is known", async () => {
    const { engine, heartbeats } = await following();
    heartbeats.see({ type: "usage", tokens: 1, output: 1 });
    await heartbeats.finish();
    expect((await engine.ledger.task("T-1"))?.usage?.costUsd).toBeNull();
  });

  it("record a warning, and stop the agent within two seconds of a halt", async () => {
    const { engine, heartbeats, follow, ends } = await following();
    using _following = follow();
    for (const event of times(3, bash("ls"))) heartbeats.see(event);
    const warnings = () => engine.ledger.events({ type: "task.warned" });
    await eventually("a warning", async () => (await warnings()).length > 0 || undefined);
    expect(await warnings()).toMatchObject([
      { data: { signal: "same_call", count: 3, limit: 10, fingerprint: expect.any(String) } },
    ]);
    expect(ends()).toBe(0);
    for (const event of times(3, refused)) heartbeats.see(event);
    await eventually("the end of the agent", () => ends() > 0 || undefined);
    expect(ends()).toBe(1);
    expect(heartbeats.lost).toMatchObject({
      code: "R-BG-001",
      details: { state: "ESCALATED", halt: { signal: "refused_write", captured: { attempt: 1 } } },
    });
    expect(await stateOf(engine, "T-1")).toBe("ESCALATED");
  });

  it("count the last events before the end: a loop or budget that was exceeded there halts the task too", async () => {
    const loop = await following();
    for (const event of times(3, refused)) loop.heartbeats.see(event);
    await loop.heartbeats.finish();
    expect(loop.heartbeats.lost).toMatchObject({ details: { halt: { signal: "refused_write" } } });
    const budget = await following();
    budget.heartbeats.see({ type: "usage", tokens: 1, costUsd: 1 });
    await budget.heartbeats.finish();
    expect(budget.heartbeats.lost).toMatchObject({ details: { halt: { signal: "cost_usd", limit: 1 } } });
  });

  it("notice that a person ended the attempt of a silent agent", async () => {
    const { engine, heartbeats, follow, ends } = await following();
    using _following = follow();
    await operate(engine, "task-cancel", { task: "T-1", reason: "no more" }, person);
    await eventually("the end of the agent", () => ends() > 0 || undefined);
    expect(ends()).toBe(1);
    expect(heartbeats.lost).toMatchObject({ allow: false });
  });

  it("notice that a person took the task over from a silent agent", async () => {
    const { engine, heartbeats, follow, ends } = await following();
    using _following = follow();
    expect((await operate(engine, "take", { task: "T-1" }, person)).allow).toBe(true);
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
    await eventually("the end of the agent", () => ends() > 0 || undefined);
    expect(ends()).toBe(1);
    expect(heartbeats.lost).toMatchObject({ code: "R-LS-001" });
  });

  it.each([
    ["took the task over", "take", {}],
    ["stopped the task", "stop", {}],
    ["cancelled the task", "task-cancel", { reason: "no more" }],
  ] as const)("count the usage until the agent of an attempt ended, after a person %s", async (...of) => {
    const [, operation, more] = of;
    const { engine, heartbeats } = await following();
    heartbeats.see({ type: "usage", tokens: 10, input: 4, output: 6, costUsd: 0.1 });
    expect(await operate(engine, operation, { task: "T-1", ...more } as never, person)).toMatchObject({
      allow: true,
    });
    const before = await stateOf(engine, "T-1");
    await heartbeats.finish();
    expect(heartbeats.lost).toMatchObject({ code: "R-LS-001" });
    heartbeats.see({ type: "usage", tokens: 5, input: 2, output: 3 });
    await heartbeats.finish();
    await heartbeats.finish();
    expect(await engine.ledger.task("T-1")).toMatchObject({
      ...{ state: before, tokens: 15 },
      usage: { input: 6, cached: 0, output: 9, costUsd: 0.1 },
    });
    expect(await operate(engine, "reconcile", {}, person)).toMatchObject({ problems: [] });
  });

  it("count the usage until the agent that its budget halts has ended, each token once", async () => {
    const { engine, heartbeats } = await following();
    heartbeats.see({ type: "usage", tokens: 50_000, input: 50_000 });
    await heartbeats.finish();
    expect(heartbeats.lost).toMatchObject({ code: "R-BG-001" });
    heartbeats.see({ type: "usage", tokens: 700, output: 700 });
    await heartbeats.finish();
    expect(await engine.ledger.task("T-1")).toMatchObject({
      ...{ state: "ESCALATED", tokens: 50_700 },
      usage: { input: 50_000, output: 700 },
    });
  });

  it("stop an agent that is started after a stop was requested", async () => {
    const { stop, follow, ends } = await following();
    stop.abort();
    using _following = follow();
    expect(ends()).toBe(1);
  });

  it("report an error if the ledger cannot be read", async () => {
    const { engine, heartbeats } = await following();
    engine.ledger.close();
    heartbeats.see({ type: "said", text: "hello" });
    await heartbeats.finish();
    expect(heartbeats.fault).toBeInstanceOf(Error);
  });
});
