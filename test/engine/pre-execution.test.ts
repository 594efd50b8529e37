import { describe, expect, it } from "vitest";
import { checkStart } from "../../src/engine/attempts/refuse-attempt.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { dispatch, memoryEngine, packet, person, submit, type TestEngine } from "../support/memory-engine.ts";

const folder = "/checkouts/T-1";

/** T-0 is merged; T-1, which depends on it, is dispatched. */
async function dispatched(): Promise<{ engine: TestEngine; call: Call }> {
  const engine = await memoryEngine();
  engine.disk[folder] = null;
  await dispatch(engine, packet("T-0", ["lib"]));
  await submit(engine, "T-0");
  await operate(engine, "complete", { task: "T-0" }, person);
  const { details } = await dispatch(engine, packet("T-1", ["src"], { depends_on: ["T-0"] }));
  return { engine, call: { role: "runner", epoch: Number(details?.epoch) } };
}

describe("an attempt that is about to start", () => {
  it("is allowed if its dependencies are merged and its locks and its folder exist", async () => {
    const { engine, call } = await dispatched();
    expect(await checkStart(engine, { task: "T-1", folder }, call)).toMatchObject({ allow: true });
    expect(await engine.ledger.task("T-1")).toMatchObject({ state: "IN_PROGRESS", refusal: null });
  });

  it.each<[string, string, (engine: TestEngine) => Promise<unknown>]>([
    [
      "R-PE-001",
      "its dependency was reverted",
      async ({ ledger }) => {
        const task = await ledger.task("T-0");
        return task && ledger.commit({ tasks: [{ ...task, revertedBy: "abc" }] });
      },
    ],
    [
      "R-PE-002",
      "its locks are lost",
      ({ ledger }) => ledger.commit({ release: { tasks: ["T-1"], at: "2026-02-14T20:00:00.000Z" } }),
    ],
    ["R-PE-003", "its folder was deleted", async ({ disk }) => delete disk[folder]],
  ])("is denied with %s if %s, and is blocked with code and reason", async (code, _why, spoil) => {
    const { engine, call } = await dispatched();
    await spoil(engine);
    expect(await checkStart(engine, { task: "T-1", folder }, call)).toMatchObject({ allow: false, code });
    expect(await engine.ledger.task("T-1")).toMatchObject({
      state: "BLOCKED",
      refusal: { code, reason: expect.stringMatching(/./) },
    });
    expect(await submit(engine, "T-1", undefined, call)).toMatchObject({ code: "R-ST-001" });
  });
});
