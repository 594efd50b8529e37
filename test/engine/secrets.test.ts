import { describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import { dispatch, memoryEngine, packet, person, submit } from "../support/memory-engine.ts";

/** Concatenated, so that no scanner reports this file. */
const secret = ["AKIA", "Z7QX2M", "4WPL9K", "TRB3"].join("");

async function everything(engine: Awaited<ReturnType<typeof memoryEngine>>): Promise<string> {
  const { ledger } = engine;
  const stored = [
    await ledger.tasks(),
    await ledger.events(),
    await ledger.locks(),
    await ledger.decisions(),
    await ledger.intents(),
    await ledger.setting("breaker"),
    await ledger.answered("k"),
  ];
  return JSON.stringify(stored);
}

describe("a secret", () => {
  it.each<[string, object]>([
    ["the objective", { assignment: { objective: `use ${secret}`, forbidden_actions: [], evidence: ["x"] } }],
    ["a criterion", { assignment: { acceptance_criteria: [`login with ${secret} works`] } }],
    ["an unknown field", { assignment: { hint: { deep: [secret] } } }],
    ["a key of an unknown field", { assignment: { [secret]: 1 } }],
    ["the title", { title: `rotate ${secret}` }],
  ])("in %s of a packet is not stored", async (_name, more) => {
    const engine = await memoryEngine();
    expect(
      (await dispatch(engine, packet("T-1", ["src"], more as never), { ...person, key: "k" })).allow,
    ).toBe(true);
    expect(await everything(engine)).not.toContain(secret);
  });

  it.each<[string, object]>([
    ["a path", { ...packet("T-1", [`src/${secret}`]) }],
    ["the worklog", packet("T-1", ["src"], { assignment: { worklog_path: `log/${secret}.md` } })],
    ["the agent's name", packet("T-1", ["src"], { agent: secret })],
    ["the task's id", packet(secret, ["src"])],
  ])("in %s leaves no trace", async (_name, document) => {
    const engine = await memoryEngine();
    await dispatch(engine, document, { ...person, key: "k" });
    expect(await everything(engine)).not.toContain(secret);
  });

  it.each<[string, unknown]>([
    [
      "a note",
      { status: "done", changes: [], acceptance_check: [], notes_for_orchestrator: [`use ${secret}`] },
    ],
    ["a summary", { status: "OK", summary: `done with ${secret}` }],
    ["a file name", { status: "OK", summary: "done", artifacts: { files_changed: [`src/${secret}`] } }],
    [
      "evidence",
      {
        status: "done",
        changes: [],
        acceptance_check: [{ criterion: "tests pass", status: "pass", evidence: secret }],
        notes_for_orchestrator: [],
      },
    ],
    ["a status", { status: secret }],
    [
      "an escalation",
      { escalation: { taskId: "T-1", reason: `need ${secret}`, attemptedPaths: [], blockers: ["x"] } },
    ],
    [
      "an error report",
      {
        error: {
          taskId: "T-1",
          agent: "a",
          errorType: "test",
          message: secret,
          attemptedFix: "x",
          retryCount: 0,
          recommendation: secret,
        },
      },
    ],
  ])("in %s of a result is neither stored nor part of the stored answer", async (_name, document) => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await submit(engine, "T-1", document, { ...person, key: "k" });
    expect(await everything(engine)).not.toContain(secret);
  });

  it("in a person's text is not stored either", async () => {
    const engine = await memoryEngine({ limits: { widen: "ask" } });
    await dispatch(engine, packet("T-1", ["src"]));
    await operate(engine, "widen", { task: "T-1", paths: ["docs"], why: secret }, { role: "orchestrator" });
    await operate(engine, "pause", { reason: secret }, person);
    await operate(engine, "clear", {}, person);
    await operate(engine, "task-escalate", { task: "T-1", reason: secret }, person);
    await operate(engine, "task-resolve", { task: "T-1", note: secret }, person);
    await operate(engine, "task-cancel", { task: "T-1", reason: secret }, person);
    expect(await everything(engine)).not.toContain(secret);
  });
});
