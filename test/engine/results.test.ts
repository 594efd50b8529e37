import { describe, expect, it } from "vitest";
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

const evidence = { command: "npm test", tree: "abc", exit: 0, seconds: 1, digest: "sha256:0", tail: "" };

async function started(more: object = {}) {
  const engine = await memoryEngine();
  await dispatch(engine, packet("T-1", ["src"], { assignment: more }));
  return engine;
}

describe("a result", () => {
  it("that follows the rules leads to review, and the locks remain", async () => {
    const engine = await started();
    expect((await submit(engine, "T-1")).details).toMatchObject({ state: "REVIEW" });
    expect((await engine.ledger.locks({ active: true })).length).toBe(2);
    engine.sleep(100_000);
    expect((await operate(engine, "watchdog", {}, person)).allow).toBe(true);
    expect(await stateOf(engine, "T-1")).toBe("REVIEW");
  });

  it.each<[string, object, string]>([
    [
      "a change outside the lock",
      result("T-1", { changes: [{ resource: "lib/a.ts", action: "edit" }] }),
      "R-PO-002",
    ],
    [
      "a protected path",
      result("T-1", { changes: [{ resource: ".git/config", action: "edit" }] }),
      "R-PW-002",
    ],
    ["no known form", { hello: 1 }, "R-PO-001"],
    [
      "a criterion that is not reported",
      result("T-1", { acceptance_check: [{ criterion: "x", status: "pass", evidence: "y" }] }),
      "R-PC-001",
    ],
    [
      "a criterion that failed",
      result("T-1", { acceptance_check: [{ criterion: "tests pass", status: "fail", evidence: "y" }] }),
      "R-PC-002",
    ],
    [
      "no evidence",
      result("T-1", { acceptance_check: [{ criterion: "tests pass", status: "pass", evidence: " " }] }),
      "R-PC-003",
    ],
    ["another task's id", { taskId: "T-9", status: "complete" }, "R-PO-001"],
  ])("with %s is denied and blocks the task; the second denial fails it", async (_name, document, code) => {
    const engine = await started();
    expect(await submit(engine, "T-1", document)).toMatchObject({ code, details: { state: "BLOCKED" } });
    expect(await engine.ledger.task("T-1")).toMatchObject({ refusal: { code }, hold: { kind: "deny" } });
    await dispatch(engine, packet("T-1", ["src"], { context_revision: 1 }));
    expect(await submit(engine, "T-1", document)).toMatchObject({ code, details: { state: "ESCALATED" } });
  });

  it("is judged by the locked paths, not by the current target of a link", async () => {
    const engine = await memoryEngine();
    const disk = engine.disk as Record<string, unknown>;
    disk["/repo/src/a/x"] = "";
    disk["/repo/src/b/x"] = "";
    disk["/repo/ln"] = { to: "src/a" };
    await dispatch(engine, packet("T-1", ["ln"]));
    disk["/repo/ln"] = { to: "src/b" };
    expect((await dispatch(engine, packet("T-2", ["src/b"]))).allow).toBe(true);
    const changes = [{ resource: "ln/q", action: "edit" }];
    expect(await submit(engine, "T-1", result("T-1", { changes }))).toMatchObject({ code: "R-PO-002" });
  });

  it("needs a worklog that has grown since the dispatch", async () => {
    const engine = await memoryEngine();
    engine.disk["/repo/worklogs/T-1.md"] = "from before\n";
    await dispatch(engine, packet("T-1", ["src"]));
    expect((await operate(engine, "submit", { task: "T-1", document: result("T-1") }, person)).code).toBe(
      "R-PO-003",
    );
  });

  it("in an agent's own form needs no evidence yet: completion provides that", async () => {
    const engine = await started();
    const output = { status: "OK", summary: "done", artifacts: { files_changed: ["src/a.ts"] } };
    expect((await submit(engine, "T-1", output)).details).toMatchObject({ state: "REVIEW" });
    expect((await operate(engine, "complete", { task: "T-1" }, person)).code).toBe("R-PC-001");
  });

  it("may be a delegation output", async () => {
    const engine = await started();
    const output = {
      taskId: "T-1",
      status: "complete",
      deliverable: { filesCreated: ["src/b.ts"], filesModified: [], testsAdded: 1, testsPassing: true },
      evidence: { testOutput: "1 passed" },
      blockers: [],
    };
    expect((await submit(engine, "T-1", output)).details).toMatchObject({ state: "REVIEW" });
  });

  it("that reports a blocker costs no retry, but the same one three times ends the task", async () => {
    const engine = await started();
    const blocked = result("T-1", { status: "blocked", notes_for_orchestrator: ["no network"] });
    for (const state of ["BLOCKED", "BLOCKED", "ESCALATED"]) {
      expect((await submit(engine, "T-1", blocked)).details).toMatchObject({ state });
      if (state === "BLOCKED") expect((await dispatch(engine, packet("T-1", ["src"]))).allow).toBe(true);
    }
    const task = await engine.ledger.task("T-1");
    expect(task).toMatchObject({
      counters: { block_retries: 0 },
      refusal: { details: { halt: { signal: "same_error" } } },
    });
  });

  it("that is an error report blocks the task with the agent's message", async () => {
    const engine = await started();
    const error = {
      taskId: "T-1",
      agent: "coder",
      errorType: "test",
      message: "2 tests fail",
      attemptedFix: "none",
      retryCount: 0,
      recommendation: "look at the clock",
    };
    expect((await submit(engine, "T-1", { error })).details).toMatchObject({ state: "BLOCKED" });
    const task = await engine.ledger.task("T-1");
    expect(task?.refusal).toMatchObject({
      code: "R-AG-001",
      reason: expect.stringContaining("2 tests fail"),
    });
  });

  it("that is an escalation goes to a person with the agent's attempts", async () => {
    const engine = await started();
    const escalation = { taskId: "T-1", reason: "no access", attemptedPaths: ["asked"], blockers: ["token"] };
    expect((await submit(engine, "T-1", { escalation })).details).toMatchObject({ state: "ESCALATED" });
    expect((await engine.ledger.task("T-1"))?.refusal?.reason).toBe(
      "no access; tried: asked; blockers: token",
    );
  });
});

describe("a result at the wrong time", () => {
  it.each<[string, readonly string[]]>([
    ["PENDING", []],
    ["REVIEW", ["dispatch", "submit"]],
    ["BLOCKED", ["dispatch", "bad submit"]],
    ["ESCALATED", ["dispatch", "escalate"]],
  ])("of a task that is %s changes nothing, even if it is invalid", async (state, steps) => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: packet("T-1", ["src"]) }, person);
    for (const step of steps) {
      if (step === "dispatch") await dispatch(engine, packet("T-1", ["src"]));
      if (step === "submit") await submit(engine, "T-1");
      if (step === "bad submit") await submit(engine, "T-1", { nonsense: 1 });
      if (step === "escalate") await operate(engine, "task-escalate", { task: "T-1", reason: "x" }, person);
    }
    const before = await engine.ledger.events();
    for (const document of [result("T-1"), { nonsense: 2 }])
      expect((await submit(engine, "T-1", document)).code).toBe("R-ST-001");
    expect(await stateOf(engine, "T-1")).toBe(state);
    expect(await engine.ledger.events()).toEqual(before);
  });
});

describe("completion", () => {
  async function reviewed(criteria: readonly string[], prove = async () => evidence) {
    const engine = await memoryEngine({ prove });
    await dispatch(engine, packet("T-1", ["src"], { assignment: { acceptance_criteria: criteria } }));
    await submit(engine, "T-1", { status: "OK", summary: "done" });
    return engine;
  }
  const claim = { acceptance_check: [{ criterion: "reads well", status: "pass", evidence: "I read it" }] };

  it("of work without proofs is marked as claimed", async () => {
    const engine = await reviewed(["reads well"]);
    const verdict = await operate(
      engine,
      "complete",
      { task: "T-1", document: claim, commit: "abc123" },
      person,
    );
    expect(verdict.details).toMatchObject({ state: "MERGED", proof: "claimed" });
    expect(await engine.ledger.locks({ active: true })).toEqual([]);
  });

  it("runs `cmd:` criteria itself, despite any claim", async () => {
    const said = { acceptance_check: [{ criterion: "cmd: npm test", status: "pass", evidence: "green" }] };
    const red = await reviewed(["cmd: npm test"], async () => ({ ...evidence, exit: 1 }));
    const denied = await operate(red, "complete", { task: "T-1", document: said, commit: "abc123" }, person);
    expect(denied).toMatchObject({
      code: "R-PC-002",
      details: { state: "REJECTED", fix_delta: { code: "R-PC-002" } },
    });
    const flaky = await reviewed(["cmd: npm test"], async () => ({
      ...evidence,
      excerpt: "late",
      flaky: "flaky: exit 1",
    }));
    expect(await operate(flaky, "complete", { task: "T-1", commit: "abc123" }, person)).toMatchObject({
      code: "R-PC-002",
      details: {
        state: "REJECTED",
        command: "npm test",
        output: "late",
        fix_delta: { details: { output: "late" } },
      },
    });
    const green = await reviewed(["cmd: npm test"]);
    const done = await operate(green, "complete", { task: "T-1", document: said, commit: "abc123" }, person);
    expect(done.details).toMatchObject({ state: "MERGED", proof: "proven", evidence: [evidence] });
    const without = await reviewed(["cmd: npm test"]);
    expect((await operate(without, "complete", { task: "T-1", document: said }, person)).code).toBe(
      "R-PC-003",
    );
    expect(await stateOf(without, "T-1")).toBe("REVIEW");
  });

  it.each(["  cmd: npm test", "CMD: npm test"])("accepts `%s` as a command too", async (criterion) => {
    const engine = await reviewed([criterion], async () => ({ ...evidence, exit: 1 }));
    const said = { acceptance_check: [{ criterion, status: "pass", evidence: "green" }] };
    expect(
      (await operate(engine, "complete", { task: "T-1", document: said, commit: "abc1" }, person)).code,
    ).toBe("R-PC-002");
  });

  it.each(["cmd:", "cmd:   "])(
    "of `%s` is refused at no cost: there is no command to run",
    async (criterion) => {
      const engine = await reviewed([criterion]);
      expect((await operate(engine, "complete", { task: "T-1", commit: "abc1" }, person)).code).toBe(
        "R-PC-003",
      );
      expect(await stateOf(engine, "T-1")).toBe("REVIEW");
    },
  );

  it("on an unknown commit costs nothing either", async () => {
    const engine = await memoryEngine({ prove: async () => ({ error: "no such commit" }) });
    await dispatch(
      engine,
      packet("T-1", ["src"], { assignment: { acceptance_criteria: ["cmd: npm test"] } }),
    );
    await submit(engine, "T-1", { status: "OK", summary: "done" });
    expect((await operate(engine, "complete", { task: "T-1", commit: "dead" }, person)).code).toBe(
      "R-PC-003",
    );
    expect(await stateOf(engine, "T-1")).toBe("REVIEW");
  });

  it("that takes too long does not complete a later attempt", async () => {
    let ran: () => void = () => {};
    const running = new Promise<void>((resolve) => {
      ran = resolve;
    });
    let finish: () => void = () => {};
    const engine = await memoryEngine({
      prove: () =>
        new Promise((resolve) => {
          finish = () => resolve(evidence);
          ran();
        }),
    });
    const asked = packet("T-1", ["src"], { assignment: { acceptance_criteria: ["cmd: npm test"] } });
    await dispatch(engine, asked);
    await submit(engine, "T-1", { status: "OK", summary: "done" });
    const first = operate(engine, "complete", { task: "T-1", commit: "aaaa" }, person);
    await running;
    await operate(engine, "task-escalate", { task: "T-1", reason: "wrong commit" }, person);
    await operate(engine, "task-resolve", { task: "T-1", note: "again" }, person);
    await dispatch(engine, asked);
    await submit(engine, "T-1", { status: "OK", summary: "done" });
    finish();
    expect((await first).code).toBe("R-LS-001");
    expect(await stateOf(engine, "T-1")).toBe("REVIEW");
  });

  it("is refused three times with a fix delta, and the fourth time the task fails", async () => {
    const engine = await memoryEngine({ limits: { sameError: 99 } });
    await dispatch(engine, packet("T-1", ["src"]));
    const states: unknown[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await submit(engine, "T-1", { status: "OK", summary: "done" });
      states.push((await operate(engine, "complete", { task: "T-1" }, person)).details?.state);
      const again = await dispatch(engine, packet("T-1", ["src"]));
      if (turn < 3)
        expect(again.details?.fix_delta).toMatchObject({ code: "R-PC-001", guidance: expect.any(String) });
      else expect(again.code).toBe("R-ST-001");
    }
    expect(states).toEqual(["REJECTED", "REJECTED", "REJECTED", "FAILED"]);
    expect((await engine.ledger.task("T-1"))?.counters.review_retries).toBe(3);
  });

  it("may be refused up to the configured number of times", async () => {
    const engine = await memoryEngine({ limits: { sameError: 99, reviewRetries: 5 } });
    const states: unknown[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      await dispatch(engine, packet("T-1", ["src"]));
      await submit(engine, "T-1", { status: "OK", summary: "done" });
      states.push((await operate(engine, "complete", { task: "T-1" }, person)).details?.state);
    }
    expect(states).toEqual([...Array(5).fill("REJECTED"), "FAILED"]);
  });

  it("is escalated earlier after the same defect three times in a row", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    for (let turn = 0; turn < 3; turn += 1) {
      await submit(engine, "T-1", { status: "OK", summary: "done" });
      await operate(engine, "complete", { task: "T-1" }, person);
      await dispatch(engine, packet("T-1", ["src"]));
    }
    expect(await storyOf(engine, "T-1")).toEqual(
      expect.arrayContaining(["REJECTED → FAILED", "FAILED → ESCALATED"]),
    );
    expect(await engine.ledger.task("T-1")).toMatchObject({
      state: "ESCALATED",
      refusal: { code: "R-PC-001", details: { halt: { signal: "same_error" } } },
    });
  });

  it("of work in progress is refused: it must be submitted first", async () => {
    const engine = await started();
    expect((await operate(engine, "complete", { task: "T-1", document: claim }, person)).code).toBe(
      "R-ST-001",
    );
  });

  it("after an escalation and a resolution starts with full budgets", async () => {
    const engine = await started();
    await operate(engine, "task-escalate", { task: "T-1", reason: "stuck" }, person);
    expect(
      (await operate(engine, "task-resolve", { task: "T-1", note: "use B" }, person)).details,
    ).toMatchObject({
      state: "PENDING",
    });
    expect(await engine.ledger.task("T-1")).toMatchObject({
      resolution: "use B",
      counters: { review_retries: 0 },
    });
    expect((await dispatch(engine, packet("T-1", ["src"]))).allow).toBe(true);
  });
});
