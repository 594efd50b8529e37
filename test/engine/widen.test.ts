import { describe, expect, it } from "vitest";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { dispatch, memoryEngine, packet, person, submit, type TestEngine } from "../support/memory-engine.ts";

const agent: Call = { role: "attempt", task: "T-1", epoch: 1 };
const why = "the tests live there";

async function working(widen: "ask" | "auto" | "never") {
  const engine = await memoryEngine({ limits: { widen } });
  await dispatch(engine, packet("T-1", ["src"], { assignment: { forbidden_scope: ["src/secret", "keys"] } }));
  await dispatch(engine, packet("T-2", ["lib/a"]));
  return engine;
}

describe("more scope", () => {
  it("is granted under the same epoch, and results may use it", async () => {
    const engine = await working("auto");
    const verdict = await operate(engine, "widen", { task: "T-1", paths: ["test/a.ts", "docs"], why }, agent);
    expect(verdict.details).toMatchObject({
      granted: ["test/a.ts", "docs"],
      lock_scope: ["src", "test/a.ts", "docs"],
    });
    expect((await dispatch(engine, packet("T-3", ["docs/x.md"]))).code).toBe("R-PD-003");
    const changes = [{ resource: "docs/x.md", action: "edit" }];
    const check = [{ criterion: "tests pass", status: "pass", evidence: "x" }];
    const document = { status: "done", changes, acceptance_check: check, notes_for_orchestrator: [] };
    expect((await submit(engine, "T-1", document, agent)).details).toMatchObject({ state: "REVIEW" });
  });

  it.each<[string, readonly string[], string, string]>([
    ["a path that another task holds", ["lib"], "R-PD-003", "`lib` overlaps `lib/a`, which task `T-2`"],
    ["exactly the scope of another task", ["lib/a"], "R-PD-003", "`lib/a` is locked by task `T-2`"],
    [
      "all, where a part is held",
      ["docs", "lib/a/b"],
      "R-PD-003",
      "`lib/a/b` overlaps `lib/a`, which task `T-2`",
    ],
    ["a forbidden path", ["keys/a"], "R-PW-002", "`keys/a` overlaps `keys`"],
    [
      "a folder around a forbidden path",
      ["."],
      "R-PW-002",
      "`.` overlaps `src/secret`, which this task must not write",
    ],
    ["a protected path", [".git"], "R-PW-002", "this task must not write `.git`"],
    ["a path in a protected one", [".git/hooks"], "R-PW-002", "`.git/hooks` overlaps `.git`"],
    ["a way out of the project", ["../x"], "R-PD-002", "`../x` is not a valid scope entry"],
    ["nothing", [], "R-PD-002", "name at least one path"],
  ])("is refused for %s, and then nothing is granted", async (_name, paths, code, reason) => {
    const engine = await working("auto");
    expect(await operate(engine, "widen", { task: "T-1", paths, why }, agent)).toMatchObject({
      code,
      reason: expect.stringContaining(reason),
    });
    expect((await engine.ledger.locks({ task: "T-1", active: true })).length).toBe(2);
  });

  it("that is already held changes nothing", async () => {
    const engine = await working("auto");
    const verdict = await operate(engine, "widen", { task: "T-1", paths: ["src/deep/x.ts"], why }, agent);
    expect(verdict.details).toMatchObject({ granted: [] });
  });

  it("is refused if the configuration forbids it or the work is not in progress", async () => {
    const engine = await working("never");
    expect((await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent)).code).toBe(
      "R-PW-001",
    );
    await submit(engine, "T-1", { status: "OK", summary: "done" });
    expect((await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent)).code).toBe(
      "R-ST-001",
    );
  });

  it("is a person's decision by default, asked once, and granted when approved", async () => {
    const engine = await working("ask");
    const asked = await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    expect(asked.details).toMatchObject({ decision: "UD-1", granted: [] });
    const again = await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    expect(again.details).toMatchObject({ decision: "UD-1" });
    const status = await operate(engine, "status", {}, person);
    expect(status).toMatchObject({ outcome: "waiting", decisions: [{ id: "UD-1" }] });
    expect((await operate(engine, "decide", { id: "UD-1", answer: "perhaps" }, person)).code).toBe(
      "R-IN-001",
    );
    expect(
      (await operate(engine, "decide", { id: "UD-1", answer: "Approved" }, person)).details,
    ).toMatchObject({
      granted: ["docs"],
    });
    expect((await operate(engine, "decide", { id: "UD-1", answer: "approved" }, person)).code).toBe(
      "R-ST-001",
    );
  });

  it("is no longer asked about after the task is over", async () => {
    const engine = await working("ask");
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    await operate(engine, "task-cancel", { task: "T-1", reason: "no" }, person);
    expect(await operate(engine, "decisions", {}, person)).toEqual([]);
    expect(await operate(engine, "decisions", { all: true }, person)).toHaveLength(1);
  });

  it("stays refused in this attempt; another attempt may ask again", async () => {
    const engine = await working("ask");
    const asks = (epoch: number) =>
      operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, { ...agent, epoch });
    await asks(1);
    await operate(engine, "decide", { id: "UD-1", answer: "refused" }, person);
    expect(await asks(1)).toMatchObject({
      code: "R-PW-001",
      reason: expect.stringContaining("a person refused this request (UD-1)"),
    });
    await operate(engine, "release", { task: "T-1" }, person);
    await dispatch(engine, packet("T-1", ["src"]));
    expect((await asks(3)).details).toMatchObject({ decision: "UD-2" });
  });
});

describe("granted scope", () => {
  const locksOf = async (engine: TestEngine, task: string) =>
    (await engine.ledger.locks({ task, active: true })).map(({ resource }) => resource);
  const granted = async () => {
    const engine = await working("auto");
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    await operate(engine, "release", { task: "T-1" }, person);
    return engine;
  };

  it("is locked again by the next attempt, even if its packet does not name it", async () => {
    const engine = await granted();
    const again = await dispatch(engine, packet("T-1", ["src"]));
    expect(again.details).toMatchObject({ attempt: 2, lock_scope: ["src", "docs"] });
    expect(await locksOf(engine, "T-1")).toEqual(["src", "docs", "worklogs/T-1.md"]);
    expect(await operate(engine, "reconcile", {}, person)).toMatchObject({ problems: [] });
  });

  it("is waited for if another task holds it by then", async () => {
    const engine = await granted();
    await dispatch(engine, packet("T-3", ["docs/x.md"]));
    expect(await dispatch(engine, packet("T-1", ["src"]))).toMatchObject({
      code: "R-PD-003",
      details: { state: "BLOCKED", conflict_task_id: "T-3" },
    });
    await operate(engine, "release", { task: "T-3" }, person);
    expect((await dispatch(engine, packet("T-1", ["src"]))).details).toMatchObject({
      lock_scope: ["src", "docs"],
    });
  });

  it("does not count as a changed assignment that allows a retry", async () => {
    const engine = await working("auto");
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    await submit(engine, "T-1", { status: "nonsense" }, agent);
    const same = packet("T-1", ["src"], { assignment: { forbidden_scope: ["src/secret", "keys"] } });
    expect((await dispatch(engine, same)).code).toBe("R-RT-001");
    expect((await operate(engine, "task-retry", { task: "T-1", packet: same }, person)).code).toBe(
      "R-RT-001",
    );
  });

  it("is overruled by a later packet that forbids it", async () => {
    const engine = await granted();
    const narrower = packet("T-1", ["src"], { assignment: { forbidden_scope: ["docs"] } });
    expect((await dispatch(engine, narrower)).details).toMatchObject({ lock_scope: ["src"] });
  });
});

describe("a person widens a task between two attempts", () => {
  const widen = (engine: TestEngine, call: Call = person) =>
    operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, call);
  const escalated = async () => {
    const engine = await working("never");
    await operate(engine, "task-escalate", { task: "T-1", reason: "it needs docs" }, agent);
    return engine;
  };

  it("that is escalated, and the next attempt gets the scope", async () => {
    const engine = await escalated();
    expect((await widen(engine, agent)).code).toBe("R-ST-001");
    expect(await widen(engine)).toMatchObject({
      allow: true,
      details: { state: "ESCALATED", granted: ["docs"], lock_scope: ["src", "docs"] },
    });
    expect((await widen(engine)).details).toMatchObject({ granted: [] });
    await operate(engine, "task-resolve", { task: "T-1", note: "it has docs now" }, person);
    expect((await dispatch(engine, packet("T-1", ["src"]))).details).toMatchObject({
      lock_scope: ["src", "docs"],
    });
    expect(await operate(engine, "reconcile", {}, person)).toMatchObject({ problems: [] });
  });

  it("that was resolved, or never started", async () => {
    const engine = await escalated();
    await operate(engine, "task-resolve", { task: "T-1", note: "again" }, person);
    expect((await widen(engine)).details).toMatchObject({ state: "PENDING", granted: ["docs"] });
    await operate(engine, "task-add", { packet: packet("T-3", ["a"]) }, person);
    const wider = await operate(engine, "widen", { task: "T-3", paths: ["b"], why }, person);
    expect(wider.details).toMatchObject({ state: "PENDING", lock_scope: ["a", "b"] });
  });

  it("that was blocked by a refusal, which unblocks it", async () => {
    const engine = await working("never");
    await submit(engine, "T-1", { status: "nonsense" }, agent);
    expect(await engine.ledger.task("T-1")).toMatchObject({ state: "BLOCKED" });
    expect((await widen(engine)).details).toMatchObject({ state: "PENDING", granted: ["docs"] });
  });

  it.each([
    ["by an old epoch", { ...person, epoch: 99 }, ["docs"], "R-LS-001"],
    ["with paths that it must not write", person, ["keys/a"], "R-PW-002"],
    ["with a way out of the project", person, ["../x"], "R-PD-002"],
  ] as const)("but not %s", async (_name, call, paths, code) => {
    const engine = await escalated();
    expect((await operate(engine, "widen", { task: "T-1", paths, why }, call)).code).toBe(code);
  });

  it("but not submitted work", async () => {
    const engine = await working("never");
    await submit(engine, "T-1", { status: "OK", summary: "done" });
    expect((await widen(engine)).code).toBe("R-ST-001");
  });
});

describe("an approval of more scope", () => {
  const asked = async () => {
    const engine = await working("ask");
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    return engine;
  };
  const approve = (engine: TestEngine) =>
    operate(engine, "decide", { id: "UD-1", answer: "approved" }, person);

  it("that arrives after another attempt has begun counts for that attempt", async () => {
    const engine = await asked();
    await operate(engine, "release", { task: "T-1" }, person);
    await dispatch(engine, packet("T-1", ["src"]));
    expect(await approve(engine)).toMatchObject({ allow: true, details: { granted: ["docs"] } });
    expect((await dispatch(engine, packet("T-3", ["docs"]))).code).toBe("R-PD-003");
  });

  it("that arrives between two attempts takes no lock yet, and the next attempt gets the scope", async () => {
    const engine = await asked();
    await operate(engine, "release", { task: "T-1" }, person);
    expect((await operate(engine, "decisions", {}, person)) as unknown[]).toHaveLength(1);
    expect(await approve(engine)).toMatchObject({ allow: true, details: { state: "PENDING" } });
    expect((await engine.ledger.locks({ task: "T-1", active: true })).length).toBe(0);
    expect((await dispatch(engine, packet("T-1", ["src"]))).details).toMatchObject({
      lock_scope: ["src", "docs"],
    });
  });

  it("that arrives during a review applies to the reviewed work", async () => {
    const engine = await asked();
    await submit(engine, "T-1", undefined, agent);
    expect(await approve(engine)).toMatchObject({ allow: true, details: { state: "REVIEW" } });
    expect((await engine.ledger.task("T-1"))?.assignment).toMatchObject({ lock_scope: ["src", "docs"] });
    expect(await operate(engine, "reconcile", {}, person)).toMatchObject({ problems: [] });
  });

  it.each<[string, object, number]>([
    ["reported that it cannot continue", { status: "BLOCKED", summary: "docs are closed" }, 0],
    ["was refused, and has its one retry left", { status: "nonsense" }, 1],
  ])("unblocks a task that %s", async (_name, document, retries) => {
    const engine = await asked();
    await submit(engine, "T-1", document, agent);
    expect(await approve(engine)).toMatchObject({ allow: true, details: { state: "PENDING" } });
    expect((await engine.ledger.task("T-1"))?.counters.block_retries).toBe(retries);
  });

  it("does not restart a stopped task, and is refused for merged work", async () => {
    const engine = await asked();
    await operate(engine, "stop", { task: "T-1" }, person);
    expect(await approve(engine)).toMatchObject({ allow: true, details: { state: "BLOCKED" } });
    const other = await asked();
    await submit(other, "T-1", undefined, agent);
    await operate(other, "complete", { task: "T-1" }, person);
    expect((await approve(other)).code).toBe("R-ST-001");
  });

  it("of scope that another task holds by now is refused, and can be repeated", async () => {
    const engine = await asked();
    await dispatch(engine, packet("T-3", ["docs"]));
    expect((await approve(engine)).code).toBe("R-PD-003");
    await operate(engine, "release", { task: "T-3" }, person);
    expect((await approve(engine)).allow).toBe(true);
  });
});
