import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { dispatch, memoryEngine, packet, person, result, stateOf, submit } from "../support/memory-engine.ts";

describe("a request with a key", () => {
  it("is applied once, and every repetition gets the same answer, token included", async () => {
    const engine = await memoryEngine();
    const keyed: Call = { ...person, key: "k-1" };
    const first = await dispatch(engine, packet("T-1", ["src"]), keyed);
    await operate(engine, "release", { task: "T-1" }, person);
    engine.sleep(60);
    expect(await dispatch(engine, packet("T-1", ["src"]), keyed)).toEqual(first);
    expect(await stateOf(engine, "T-1")).toBe("PENDING");
  });

  it("keeps its refusal, even if the same request would now be allowed", async () => {
    const engine = await memoryEngine();
    const keyed: Call = { ...person, key: "k-2" };
    const refused = await operate(engine, "heartbeat", { task: "T-1" }, keyed);
    expect(refused.allow).toBe(false);
    await dispatch(engine, packet("T-1", ["src"]));
    expect(await operate(engine, "heartbeat", { task: "T-1" }, keyed)).toEqual(refused);
  });

  it("that looks like a secret is not stored", async () => {
    const engine = await memoryEngine();
    const key = ["ghp_", "Tk3ynVzWAwiXrNHBBrbsKrkNrtQYrtSJzeG1"].join("");
    expect((await dispatch(engine, packet("T-1", ["src"]), { ...person, key })).code).toBe("R-IN-001");
    expect(await engine.ledger.answered(key)).toBeUndefined();
  });

  it("cannot be used for another request", async () => {
    const engine = await memoryEngine();
    const keyed: Call = { ...person, key: "k-3" };
    await dispatch(engine, packet("T-1", ["src"]), keyed);
    expect((await dispatch(engine, packet("T-2", ["lib"]), keyed)).code).toBe("R-IN-001");
    expect((await operate(engine, "release", { task: "T-1" }, keyed)).code).toBe("R-IN-001");
    expect(await stateOf(engine, "T-2")).toBeUndefined();
  });

  it("that is sent again after any part of a history changes nothing", async () => {
    const steps = fc.array(
      fc.constantFrom(
        "dispatch A",
        "dispatch B",
        "beat A",
        "submit A",
        "complete A",
        "release A",
        "cancel B",
      ),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (history, at) => {
        const engine = await memoryEngine();
        const run = (step: string, index: number) => {
          const [verb, id = ""] = step.split(" ");
          const call: Call = { ...person, key: `k-${index}` };
          if (verb === "dispatch") return dispatch(engine, packet(id, ["src"]), call);
          if (verb === "submit") return submit(engine, id, result(id), call);
          if (verb === "beat") return operate(engine, "heartbeat", { task: id }, call);
          if (verb === "complete") return operate(engine, "complete", { task: id }, call);
          if (verb === "release") return operate(engine, "release", { task: id }, call);
          return operate(engine, "task-cancel", { task: id, reason: "no" }, call);
        };
        const answers = [];
        for (const [index, step] of history.entries()) answers.push(await run(step, index));
        const before = [
          await engine.ledger.tasks(),
          await engine.ledger.locks(),
          await engine.ledger.events(),
        ];
        for (const [index, step] of history.slice(0, 1 + (at % history.length)).entries())
          expect(await run(step, index)).toEqual(answers[index]);
        expect([
          await engine.ledger.tasks(),
          await engine.ledger.locks(),
          await engine.ledger.events(),
        ]).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a document that is nested very deeply", () => {
  it.each(["submit", "complete", "dispatch", "task-add"] as const)(
    "is refused by %s, with a key and without",
    async (name) => {
      const engine = await memoryEngine();
      const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
      for (const call of [person, { ...person, key: "k" }]) {
        const input = { task: "T-1", document: deep, packet: { ...packet("T-1", ["src"]), deep } };
        expect(await operate(engine, name, input as never, call)).toMatchObject({ code: "R-IN-001" });
      }
    },
  );
});

describe("two simultaneous changes", () => {
  it("of one task have exactly one winner", async () => {
    const engine = await memoryEngine();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => dispatch(engine, packet("T-1", ["src"]))),
    );
    expect(answers.filter(({ allow }) => allow)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === "R-ST-001")).toHaveLength(11);
  });

  it("over the same paths have exactly one winner", async () => {
    const engine = await memoryEngine();
    const scopes = ["src", "src/a", "src/**/*.ts", "."];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        dispatch(engine, packet(`T-${index}`, [scopes[index % 4] as string])),
      ),
    );
    expect(answers.filter(({ allow }) => allow)).toHaveLength(1);
    expect((await engine.ledger.tasks({ states: ["BLOCKED"] })).length).toBe(11);
  });
});

describe("a dry run", () => {
  it("shows what would happen and changes nothing", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    const verdict = await operate(engine, "release", { task: "T-1" }, { ...person, dryRun: true });
    expect(verdict.details).toMatchObject({ state: "PENDING", released: 2, dry_run: true });
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
  });
});

describe("the circuit breaker", () => {
  it("in state PAUSE or STOP lets no task start, and costs no retry", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    for (const name of ["pause", "stop-all"] as const) {
      await operate(engine, name, { reason: "lunch" }, person);
      expect(await dispatch(engine, packet("T-2", ["lib"]))).toMatchObject({ code: "R-CB-001" });
    }
    expect(await stateOf(engine, "T-2")).toBeUndefined();
    expect((await operate(engine, "heartbeat", { task: "T-1" }, person)).allow).toBe(true);
    await operate(engine, "clear", {}, person);
    expect((await dispatch(engine, packet("T-2", ["lib"]))).allow).toBe(true);
    expect(engine.shown).toEqual(["PAUSE", "PAUSE", "STOP", "STOP", "CLEAR"]);
  });

  it("is shown as it is in the ledger, even after a repeated request", async () => {
    const engine = await memoryEngine();
    await operate(engine, "clear", {}, { ...person, key: "c" });
    await operate(engine, "stop-all", {}, { ...person, key: "s" });
    await operate(engine, "clear", {}, { ...person, key: "c" });
    expect(engine.shown.at(-1)).toBe("STOP");
    await operate(engine, "clear", {}, person);
    await operate(engine, "stop-all", {}, { ...person, key: "s" });
    expect(engine.shown.at(-1)).toBe("CLEAR");
  });

  it("in state STOP grants no more scope", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await operate(engine, "stop-all", {}, person);
    expect(await operate(engine, "widen", { task: "T-1", paths: ["docs"], why: "x" }, person)).toMatchObject({
      code: "R-CB-001",
    });
  });
});
