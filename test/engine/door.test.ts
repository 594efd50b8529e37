import { describe, expect, it } from "vitest";
import { internalOperations } from "../../src/contract/operations.ts";
import { deny } from "../../src/core/rules/verdict.ts";
import { bindAgent } from "../../src/engine/attempts/bind-agent.ts";
import { haltTask } from "../../src/engine/attempts/halt-task.ts";
import { refuseAttempt } from "../../src/engine/attempts/refuse-attempt.ts";
import { prepareMove } from "../../src/engine/change/base-moves.ts";
import { internal } from "../../src/engine/change/door.ts";
import { type Call, isOwner } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { dispatch, memoryEngine, packet, person, runner } from "../support/memory-engine.ts";

const roles: readonly Call["role"][] = [
  ...(["person", "orchestrator", "attempt", "subagent", "runner", "guard", "system"] as const),
];

describe("an internal operation", () => {
  it.each(Object.entries(internalOperations))("%s runs only for its callers", (name, callers) => {
    const act = internal(name as keyof typeof internalOperations, () => "done");
    for (const role of roles) {
      const run = () => act({}, {}, { role });
      if (callers.some((caller) => caller === role)) expect(run()).toBe("done");
      else expect(run).toThrow(`\`${name}\` is not for ${role}`);
    }
  });

  it("does not change the ledger for any other caller", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    const before = await engine.ledger.events();
    const refused = deny("R-PW-001", "outside");
    const agent: Call = { role: "attempt", task: "T-1", epoch: 1 };
    const halt = { signal: "same_call", count: 1, limit: 1, fingerprint: "f", last: [] };
    const refusal = { code: "R-BG-001", reason: "it loops", details: {} } as const;
    const move = { kind: "land", base: "main", from: "a", to: "b", batch: "b-1", members: [] } as never;
    const tries = [
      () => haltTask(engine, { task: "T-1", refusal, halt }, agent),
      () => refuseAttempt(engine, { task: "T-1", refused }, agent),
      () => bindAgent(engine, { agent: "a", task: "T-1" }, person),
      () => prepareMove(engine, move, agent),
    ];
    for (const one of tries) expect(one).toThrow("is not for");
    expect(await engine.ledger.events()).toEqual(before);
  });
});

describe("a run that a person started", () => {
  it("can neither answer questions for the person nor stop anything", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]), runner);
    expect(isOwner(runner)).toBe(true);
    for (const [name, input] of [
      ["decide", { id: "UD-1", answer: "yes" }],
      ["take", { task: "T-1" }],
      ["stop", { task: "T-1" }],
      ["stop-all", {}],
      ["clear", {}],
      ["release", { task: "T-1" }],
    ] as const)
      expect(await operate(engine, name, input as never, runner)).toMatchObject({ code: "R-AU-001" });
  });
});
