import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unfinishedPlans } from "../../src/cli/run/unfinished-plans.ts";
import { bindAgent } from "../../src/engine/attempts/bind-agent.ts";
import { putBack } from "../../src/engine/attempts/refuse-attempt.ts";
import { operate } from "../../src/engine/operate.ts";
import { readGuardFacts } from "../../src/engine/views/guard-facts.ts";
import { wayToClaim } from "../../src/guard/judge/judge-unclaimed-call.ts";
import type { GuardWorld } from "../../src/guard/world/guard-world.ts";
import { reportSession } from "../../src/run/landing/undo/session-report.ts";
import { dispatch, memoryEngine, packet, person, result, runner } from "../support/memory-engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const session = "2026-02-14_shop";
const key = `${session}/meta`;

describe("the meta task of a session", () => {
  it("is in no list of tasks: not in the status, nor in an unfinished plan, nor in a report", async () => {
    using folder = temporaryFolder({ [`.agents-work/${session}/tasks.yaml`]: "tasks: []\n" });
    const engine = await memoryEngine();
    await dispatch(engine, packet(`${session}/meta`, [`.agents-work/${session}/spec.md`]));
    expect(await operate(engine, "status", {}, person)).toMatchObject({ tasks: [], outcome: null });
    expect(await operate(engine, "task-list", {}, person)).toEqual([]);
    expect(await operate(engine, "task-show", { task: `${session}/meta` }, person)).toMatchObject({
      state: "IN_PROGRESS",
    });
    expect(await unfinishedPlans(engine, folder.path)).toEqual([]);
    await dispatch(engine, packet(`${session}/T-1`, ["src"]));
    expect(await operate(engine, "status", {}, person)).toMatchObject({
      tasks: [{ id: "T-1", key: `${session}/T-1` }],
    });
    const copy = join(folder.path, ".agents-work", session, "tasks.yaml");
    expect(await unfinishedPlans(engine, folder.path)).toEqual([{ session, file: copy, canMove: true }]);
    const report = await reportSession(engine, folder.path, { session, reverted: [], wayBack: [] });
    expect(report.state).toEqual({ IN_PROGRESS: 1 });
    expect(readFileSync(join(folder.path, report.file), "utf8")).not.toContain("meta");
  });

  it.each([
    ["task-escalate", { task: key, reason: "stuck" }],
    ["widen", { task: key, paths: ["src"], why: "more" }],
    ["submit", { task: key, document: result(key) }],
  ] as const)("refuses `%s` from the role that works on it", async (operation, input) => {
    const engine = await memoryEngine();
    const { details } = await dispatch(engine, packet(key, [`.agents-work/${session}/spec.md`]));
    const { epoch, token } = details as { readonly epoch: number; readonly token: string };
    for (const call of [{ role: "attempt", task: key, epoch, token }, { role: "orchestrator" }] as const)
      expect(await operate(engine, operation, input as never, call)).toMatchObject({
        code: "R-AU-001",
        reason: expect.stringContaining("say BLOCKED"),
      });
    expect(await engine.ledger.task(key)).toMatchObject({ state: "IN_PROGRESS" });
  });

  it("cannot be cancelled, because no role could be asked after that", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet(key, [`.agents-work/${session}/spec.md`]));
    expect(await operate(engine, "task-cancel", { task: key, reason: "no" }, person)).toMatchObject({
      code: "R-ST-001",
      reason: expect.stringContaining("--abandon"),
    });
  });

  it("has a new budget for each role, whatever the roles before have spent", async () => {
    const engine = await memoryEngine({ limits: { tokens: { warn: null, halt: 100 } } });
    for (const name of ["spec", "architecture", "plan"]) {
      const { details } = await dispatch(engine, packet(key, [`.agents-work/${session}/${name}.md`]));
      const { epoch } = details as { readonly epoch: number };
      const call = { ...runner, epoch };
      expect(await operate(engine, "heartbeat", { task: key, tokens: 90 }, call)).toMatchObject({
        allow: true,
      });
      expect((await putBack(engine, { task: key, reason: "done" }, call)).allow).toBe(true);
    }
  });

  it("cannot be dispatched by an orchestrator", async () => {
    const engine = await memoryEngine();
    const packets = [packet(key, ["src"]), packet(` ${key}`, ["src"])];
    for (const one of packets)
      expect(await dispatch(engine, one, { role: "orchestrator" })).toMatchObject({ code: "R-AU-001" });
    expect(await engine.ledger.tasks()).toEqual([]);
  });

  it("cannot be claimed, and is not offered", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet(key, [`.agents-work/${session}/spec.md`]));
    for (const task of [key, "meta"])
      expect(await bindAgent(engine, { agent: "a", task }, { role: "guard" })).toMatchObject({
        code: "R-IN-001",
      });
    await dispatch(engine, packet("T-1", ["src"]));
    const facts = await readGuardFacts(engine);
    expect(wayToClaim({ facts, world: { clock: engine.clock } as GuardWorld })).toContain("(open: T-1)");
  });
});
