import { expect, it } from "vitest";
import { prepareMove } from "../../src/engine/change/base-moves.ts";
import { finishRollback } from "../../src/engine/landing/finish-rollback.ts";
import { operate } from "../../src/engine/operate.ts";
import { dispatch, memoryEngine, packet, person, runner, submit } from "../support/memory-engine.ts";

it("a rollback blocks everything that depends on the reverted work, also in progress and in review", async () => {
  const engine = await memoryEngine();
  await dispatch(engine, packet("A", ["a"]));
  await submit(engine, "A");
  await operate(engine, "complete", { task: "A" }, person);
  const dependent = (id: string) => packet(id, [id], { depends_on: ["A"] });
  await operate(engine, "task-add", { packet: dependent("pending") }, person);
  for (const id of ["begun", "handed-in"]) expect((await dispatch(engine, dependent(id))).allow).toBe(true);
  await submit(engine, "handed-in");
  const intent = await prepareMove(
    engine,
    {
      ...{ kind: "roll-back", base: "main", from: "1", to: "2", batch: "ROLLBACK-1", runner: null },
      members: [{ task: "A", branch: "A", title: "A", commit: "2", scope: [], evidence: [], proof: {} }],
      rollback: { level: "task", name: "A" },
    },
    runner,
  );
  if ("allow" in intent) throw new Error(intent.reason);
  expect((await finishRollback(engine, intent, runner)).allow).toBe(true);
  for (const id of ["pending", "begun", "handed-in"])
    expect(await engine.ledger.task(id), id).toMatchObject({
      state: "BLOCKED",
      refusal: { code: "R-DP-001", details: { dependency: "A" } },
    });
  expect((await operate(engine, "heartbeat", { task: "begun" }, { role: "person", epoch: 2 })).allow).toBe(
    false,
  );
});
