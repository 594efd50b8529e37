import { describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import type { Change } from "../../src/ledger/ledger.ts";
import { creating, newAttempt, newLock, newTask } from "../ledger/sample-documents.ts";
import { dispatch, memoryEngine, packet, person, submit, type TestEngine } from "../support/memory-engine.ts";

const reconcile = (engine: TestEngine) => operate(engine, "reconcile", {}, person);
const running = (key: string, more: object = {}) =>
  newTask(key, { state: "IN_PROGRESS", agent: "coder", epoch: 1, ...more });

/** A task in progress, without a fault. */
const atWork: Change = {
  ...creating(running("T-1")),
  attempts: [newAttempt("T-1")],
  take: [newLock("T-1", "src")],
  expect: { fence: 0 },
};

describe("reconciling", () => {
  it("counts tasks, locks and events, and finds nothing wrong in a normal history", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await dispatch(engine, packet("T-2", ["src/a"]));
    await submit(engine, "T-1");
    expect(await reconcile(engine)).toEqual({ tasks: 2, locks: 2, events: 5, problems: [] });
    await operate(engine, "complete", { task: "T-1" }, person);
    await dispatch(engine, packet("T-2", ["src/a"]));
    engine.sleep(601);
    await operate(engine, "watchdog", {}, person);
    expect(await reconcile(engine)).toMatchObject({ locks: 0, problems: [] });
  });

  it.each<[string, readonly Change[], object]>([
    ["nothing", [atWork], []],
    [
      "work without a lease and locks",
      [creating(running("T-1"))],
      [{ check: "work", task: "T-1", problem: "it is IN_PROGRESS without a lease and locks" }],
    ],
    [
      "work without locks",
      [{ ...creating(running("T-1")), attempts: [newAttempt("T-1")] }],
      [{ check: "work", task: "T-1" }],
    ],
    [
      "work in another epoch than its attempt",
      [{ ...atWork, ...creating(running("T-1", { epoch: 2 })) }],
      [{ check: "work", task: "T-1", problem: "its epoch is 2, its attempt's 1" }],
    ],
    [
      "work without an agent",
      [{ ...atWork, ...creating(running("T-1", { agent: null })) }],
      [{ check: "work", task: "T-1", problem: "it is IN_PROGRESS without an agent" }],
    ],
    [
      "a lock of a missing task",
      [{ take: [newLock("T-9", "src")], expect: { fence: 0 } }],
      [{ check: "locks", task: "T-9", problem: "`src` is held by a task that does not exist" }],
    ],
    [
      "a lock that outlived its task",
      [{ ...atWork, ...creating(newTask("T-1", { state: "MERGED" })) }],
      [{ check: "locks", task: "T-1", problem: "`src` is still held although the task is MERGED" }],
    ],
    [
      "a lock of an older epoch",
      [{ ...atWork, take: [newLock("T-1", "src"), newLock("T-1", "lib", { epoch: 0 })] }],
      [{ check: "locks", task: "T-1", problem: "`lib` is held under epoch 0, which is not current" }],
    ],
    [
      "two locks that overlap",
      [
        atWork,
        {
          ...creating(running("T-2")),
          attempts: [newAttempt("T-2")],
          take: [newLock("T-2", "src/a/b.ts")],
          expect: { fence: 1 },
        },
      ],
      [{ check: "locks", task: "T-2", problem: "`src/a/b.ts` overlaps `src`, which `T-1` holds" }],
    ],
    [
      "a missing dependency",
      [creating(newTask("T-1", { dependsOn: ["T-0"] }))],
      [{ check: "dependencies", task: "T-1", problem: "it depends on `T-0`, which does not exist" }],
    ],
    [
      "work that did not wait for its dependency",
      [{ ...atWork, ...creating(newTask("T-0"), running("T-1", { dependsOn: ["T-0"] })) }],
      [{ check: "dependencies", task: "T-1", problem: "it is IN_PROGRESS although `T-0` is PENDING" }],
    ],
  ])("finds %s, and changes nothing", async (_what, changes, problems) => {
    const engine = await memoryEngine();
    for (const change of changes) expect(await engine.ledger.commit(change)).toMatchObject({ ok: true });
    const before = [await engine.ledger.tasks(), await engine.ledger.locks(), await engine.ledger.events()];
    expect(await reconcile(engine)).toMatchObject({ problems });
    expect([await engine.ledger.tasks(), await engine.ledger.locks(), await engine.ledger.events()]).toEqual(
      before,
    );
  });
});
