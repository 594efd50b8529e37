import { describe, expect, it } from "vitest";
import type { Call } from "../../src/engine/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { dispatch, memoryEngine, packet, person, submit } from "../support/memory-engine.ts";

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

  it.each<[string, readonly string[], string]>([
    ["what another task holds", ["lib"], "R-PD-003"],
    ["all, where a part is held", ["docs", "lib/a/b"], "R-PD-003"],
    ["a forbidden path", ["keys/a"], "R-PW-002"],
    ["a folder around a forbidden path", ["."], "R-PW-002"],
    ["a protected path", [".git/hooks"], "R-PW-002"],
    ["a way out of the project", ["../x"], "R-PD-002"],
    ["nothing", [], "R-PD-002"],
  ])("is not granted for %s, and then for nothing at all", async (_name, paths, code) => {
    const engine = await working("auto");
    expect((await operate(engine, "widen", { task: "T-1", paths, why }, agent)).code).toBe(code);
    expect((await engine.ledger.locks({ task: "T-1", active: true })).length).toBe(2);
  });

  it("that is held already changes nothing", async () => {
    const engine = await working("auto");
    const verdict = await operate(engine, "widen", { task: "T-1", paths: ["src/deep/x.ts"], why }, agent);
    expect(verdict.details).toMatchObject({ granted: [] });
  });

  it("is refused where nobody may have more, and to work that is not in progress", async () => {
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

  it("is no longer asked about when the attempt that asked is over", async () => {
    const engine = await working("ask");
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    await operate(engine, "task-cancel", { task: "T-1", reason: "no" }, person);
    expect(await operate(engine, "decisions", {}, person)).toEqual([]);
    expect(await operate(engine, "decisions", { all: true }, person)).toHaveLength(1);
  });

  it("that was refused or came too late stays out", async () => {
    const engine = await working("ask");
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    await operate(engine, "decide", { id: "UD-1", answer: "refused" }, person);
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why }, agent);
    await operate(engine, "release", { task: "T-1" }, person);
    await dispatch(engine, packet("T-1", ["src"]));
    expect((await operate(engine, "decide", { id: "UD-2", answer: "approved" }, person)).code).toBe(
      "R-LS-001",
    );
    expect((await operate(engine, "decide", { id: "UD-2", cancel: "too late" }, person)).allow).toBe(true);
  });
});
