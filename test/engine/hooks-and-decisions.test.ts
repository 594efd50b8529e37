import { describe, expect, it } from "vitest";
import type { Task } from "../../src/core/tasks/task.ts";
import { keepHookContext } from "../../src/engine/attempts/keep-hook-context.ts";
import { makersOf, recordReview, reviewsOf } from "../../src/engine/attempts/record-review.ts";
import { askLogin } from "../../src/engine/decisions/ask-login.ts";
import { askManual } from "../../src/engine/decisions/ask-manual.ts";
import { operate } from "../../src/engine/operate.ts";
import { replanTask } from "../../src/engine/tasks/replan-task.ts";
import { dispatch, memoryEngine, packet, person, runner } from "../support/memory-engine.ts";

describe("the results of lifecycle hooks", () => {
  const record = {
    task: "T-1",
    point: "before_submit",
    results: [{ hook: "create_pr", status: "SUCCESS", message: "opened", context: {} }],
  };

  it("are the address of a pull request, the pushed commit, and an event about the run", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    const context = { pr_url: "https://127.0.0.1/pull/1", pushed: "abc", tests: "npm test", approvals: {} };
    await keepHookContext(engine, { ...record, context }, runner);
    await keepHookContext(engine, { ...record, context: { pushed: "def", pr_url: 7 } }, runner);
    const task = await engine.ledger.task("T-1");
    expect(task?.hookContext).toEqual({ pr_url: "https://127.0.0.1/pull/1", pushed: "def" });
    const [event] = await engine.ledger.events({ type: "task.hooks" });
    expect(event?.data).toEqual({
      point: "before_submit",
      hooks: [{ hook: "create_pr", status: "SUCCESS", message: "opened" }],
    });
  });

  it("are not stored for an attempt that is over", async () => {
    const engine = await memoryEngine();
    const dispatched = await dispatch(engine, packet("T-1", ["src"]));
    const epoch = (dispatched.details as { epoch: number }).epoch - 1;
    const kept = await keepHookContext(engine, { ...record, context: { pushed: "x" } }, { ...runner, epoch });
    expect(kept).toMatchObject({ allow: false, code: "R-LS-001" });
    expect((await engine.ledger.task("T-1"))?.hookContext).toBeUndefined();
  });
});

describe("the type of a task", () => {
  it("is the one it was added with, and is part of the dispatch's answer", async () => {
    const engine = await memoryEngine();
    const added = packet("T-1", ["src"], { type: "product" });
    await operate(engine, "task-add", { packet: added }, person);
    expect((await engine.ledger.task("T-1"))?.type).toBe("product");
    const dispatched = await dispatch(engine, packet("T-1", ["src"], { type: "hotfix" }), {
      role: "orchestrator",
    });
    expect(dispatched.details).toMatchObject({ type: "product" });
    expect((await engine.ledger.task("T-1"))?.type).toBe("product");
  });

  it("may be part of the packet, and is optional", async () => {
    const engine = await memoryEngine();
    expect((await dispatch(engine, packet("T-1", ["a"], { type: "hotfix" }))).details).toMatchObject({
      type: "hotfix",
    });
    expect((await dispatch(engine, packet("T-2", ["b"]))).details).toMatchObject({ type: null });
    expect(await dispatch(engine, packet("T-3", ["c"], { type: 3 }))).toMatchObject({ code: "R-IN-001" });
  });

  it("changes with the plan until the task starts", async () => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: packet("T-1", ["src"], { type: "product" }) }, person);
    const replan = (type: string) => replanTask(engine, { packet: packet("T-1", ["src"], { type }) }, runner);
    expect(await replan("hotfix")).toMatchObject({ allow: true });
    expect((await dispatch(engine, packet("T-1", ["src"]))).details).toMatchObject({ type: "hotfix" });
    expect(await replan("product")).toMatchObject({ code: "R-ST-001" });
    expect((await engine.ledger.task("T-1"))?.type).toBe("hotfix");
  });

  it("is null for a task that an older ledger stored without one", async () => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: packet("T-1", ["src"]) }, person);
    const { type: _type, ...older } = (await engine.ledger.task("T-1")) as Task;
    expect(await engine.ledger.commit({ tasks: [older] })).toMatchObject({ ok: true });
    expect(await engine.ledger.task("T-1")).not.toHaveProperty("type");
    expect(await operate(engine, "task-show", { task: "T-1" }, person)).toMatchObject({ type: null });
    expect((await dispatch(engine, packet("T-1", ["src"]))).details).toMatchObject({ type: null });
  });
});

describe("a question to a person", () => {
  const check = { task: "T-1", criterion: "it reads well", commit: "a".repeat(40) };

  it("about work is asked once, and cancelled by newer work", async () => {
    const engine = await memoryEngine();
    await askManual(engine, check, person);
    expect(await askManual(engine, check, person)).toMatchObject({ id: "UD-1", state: "pending" });
    expect(await askManual(engine, { ...check, commit: "b".repeat(40) }, person)).toMatchObject({
      id: "UD-2",
    });
    const all = await engine.ledger.decisions();
    expect(all.map(({ id, state }) => [id, state])).toEqual([
      ["UD-1", "cancelled"],
      ["UD-2", "pending"],
    ]);
  });

  it("is not asked in a dry run", async () => {
    const engine = await memoryEngine();
    expect(await askManual(engine, check, { ...person, dryRun: true })).toBeUndefined();
    expect(await engine.ledger.decisions()).toEqual([]);
  });

  it.each([
    ["Approved", "approved"],
    ["refused", "refused"],
    ["refused: it is: too long", "refused: it is: too long"],
    ["approved: gladly", undefined],
    ["refusedx", undefined],
  ])("about work accepts %j as %j", async (text, answer) => {
    const engine = await memoryEngine();
    await askManual(engine, check, person);
    const verdict = await operate(engine, "decide", { id: "UD-1", answer: text }, person);
    expect(verdict).toMatchObject(answer === undefined ? { code: "R-IN-001" } : { details: { answer } });
  });

  it("to log in is asked once at a time, and again if the answer did not help", async () => {
    const engine = await memoryEngine();
    const login = { agent: "coder", reason: "401" };
    await askLogin(engine, login, person);
    expect(await askLogin(engine, login, person)).toMatchObject({ id: "UD-1" });
    await operate(engine, "decide", { id: "UD-1", answer: "done" }, person);
    expect(await askLogin(engine, login, person)).toMatchObject({ id: "UD-2", state: "pending" });
  });
});

describe("a review", () => {
  it("is stored for the commit that it judged, and all agents that tried the task count as its makers", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"], { agent: "one" }));
    const review = {
      agent: "looks",
      focus: null,
      verdict: "approved",
      summary: "fine",
      findings: [],
    } as const;
    await recordReview(engine, { task: "T-1", commit: "abc", review }, runner);
    expect(await reviewsOf(engine, { task: "T-1", commit: "abc" })).toEqual([review]);
    expect(await reviewsOf(engine, { task: "T-1", commit: "def" })).toEqual([]);
    expect(await makersOf(engine, "T-1")).toEqual(new Set(["one"]));
  });
});
