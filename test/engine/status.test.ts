import { describe, expect, it } from "vitest";
import { recordLimit } from "../../src/engine/attempts/limited-agents.ts";
import { operate } from "../../src/engine/operate.ts";
import { moveSession } from "../../src/engine/sessions/move-session.ts";
import { openSession } from "../../src/engine/sessions/open-session.ts";
import { readStatus } from "../../src/engine/views/read-status.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  result,
  runner,
  type TestEngine,
} from "../support/memory-engine.ts";

const session = "2026-02-14_shop";
const key = (id: string) => `${session}/${id}`;

async function add(engine: TestEngine, id: string, scope: readonly string[], more: object = {}) {
  const verdict = await operate(engine, "task-add", { packet: packet(key(id), scope, { ...more }) }, person);
  expect(verdict).toMatchObject({ allow: true });
}

async function begin(engine: TestEngine, id: string, scope: readonly string[], more: object = {}) {
  const verdict = await dispatch(engine, packet(key(id), scope, { ...more }));
  expect(verdict).toMatchObject({ allow: true });
}

async function handIn(engine: TestEngine, id: string): Promise<void> {
  engine.disk[`/repo/worklogs/${key(id)}.md`] = "done";
  const verdict = await operate(engine, "submit", { task: key(id), document: result(key(id)) }, person);
  expect(verdict).toMatchObject({ allow: true });
}

async function taskOf(engine: TestEngine, id: string) {
  return (await readStatus(engine)).tasks.find((task) => task.id === id);
}

const other = (id: string, more: object = {}) => ({
  ...{ task: key(id), state: "IN_PROGRESS", waits_for_person: false },
  ...more,
});

describe("the status of a task", () => {
  it("has its name in the plan and its unique name", async () => {
    const engine = await memoryEngine();
    await add(engine, "T-1", ["src"]);
    await dispatch(engine, packet("T-1", ["docs"]));
    const names = (await readStatus(engine)).tasks.map((task) => [task.id, task.key]);
    expect(names.toSorted()).toEqual([
      ["T-1", key("T-1")],
      ["T-1", "T-1"],
    ]);
  });

  it("names the task that holds a needed lock or resource", async () => {
    const engine = await memoryEngine({ limits: { resources: { database: 1 } } });
    await begin(engine, "A", ["src/a"], { assignment: { uses: ["database"] } });
    await add(engine, "B", ["src"]);
    await add(engine, "C", ["docs"], { assignment: { uses: ["database"] } });
    const waits = async (id: string) => (await taskOf(engine, id))?.waits;
    expect(await waits("A")).toEqual([]);
    expect(await waits("B")).toEqual([{ on: "lock", resource: "src/a", ...other("A") }]);
    expect(await waits("C")).toEqual([{ on: "lock", resource: "database", ...other("A") }]);
    expect((await taskOf(engine, "B"))?.waiting_for).toEqual([key("A")]);
  });

  it("shows that the task it waits for waits for a person", async () => {
    const engine = await memoryEngine();
    await begin(engine, "A", ["src"]);
    await operate(engine, "take", { task: key("A") }, person);
    await add(engine, "B", ["src/b"]);
    await add(engine, "C", ["docs"], { depends_on: [key("A")] });
    const held = other("A", { waits_for_person: true });
    expect((await taskOf(engine, "A"))?.waits).toEqual([{ on: "person", why: "taken", decision: null }]);
    expect((await taskOf(engine, "B"))?.waits).toEqual([{ on: "lock", resource: "src", ...held }]);
    expect((await taskOf(engine, "C"))?.waits).toEqual([{ on: "dependency", ...held }]);
  });

  it("shows why it waits for a person", async () => {
    const engine = await memoryEngine({ limits: { widen: "ask" } });
    for (const id of ["STOPPED", "WIDER", "UP"]) await begin(engine, id, [id]);
    await operate(engine, "stop", { task: key("STOPPED") }, person);
    await operate(engine, "task-escalate", { task: key("UP"), reason: "which?" }, person);
    const epoch = (await engine.ledger.attempt(key("WIDER")))?.epoch ?? 0;
    const agent = { role: "attempt", task: key("WIDER"), epoch } as const;
    await operate(engine, "widen", { task: key("WIDER"), paths: ["more"], why: "x" }, agent);
    const asked = (await readStatus(engine)).decisions.map(({ id }) => id);
    expect((await taskOf(engine, "STOPPED"))?.waits).toEqual([
      { on: "person", why: "stopped", decision: null },
    ]);
    expect((await taskOf(engine, "UP"))?.waits).toEqual([{ on: "person", why: "escalated", decision: null }]);
    // Its agent continues meanwhile.
    expect((await taskOf(engine, "WIDER"))?.waits).toEqual([]);
    expect(asked).toHaveLength(1);
    await handIn(engine, "WIDER");
    expect((await taskOf(engine, "WIDER"))?.waits).toEqual([
      { on: "person", why: "decision", decision: asked[0] },
    ]);
  });

  it("shows that no slot is free, or until when its agent is out of quota", async () => {
    const engine = await memoryEngine();
    await add(engine, "B", ["docs"], { agent: "b" });
    expect((await taskOf(engine, "B"))?.waits).toEqual([]);
    await begin(engine, "A", ["src"]);
    expect((await taskOf(engine, "B"))?.waits).toEqual([{ on: "slot" }]);
    const until = "2026-02-14T20:30:00.000Z";
    await recordLimit(engine, { agents: ["b"], until, reason: "429" }, runner);
    expect(await taskOf(engine, "B")).toMatchObject({
      waits: [{ on: "limit", agent: "b", until }],
      waiting_for: ["agent:b"],
    });
    engine.sleep(31 * 60);
    expect((await taskOf(engine, "B"))?.waits).toEqual([{ on: "slot" }]);
  });

  it("is consistent, even if the ledger changes during the read", async () => {
    const engine = await memoryEngine();
    await begin(engine, "A", ["src"]);
    let isOver = false;
    // A status that reads twice would mix the task in progress with the attempt of the submitted work.
    const ledger = new Proxy(engine.ledger, {
      get(target, name: keyof Ledger) {
        const value = target[name];
        if (typeof value !== "function" || name === "commit") return value;
        return async (...words: never[]) => {
          const read = await (value as (...words: never[]) => unknown).apply(target, words);
          if (!isOver) {
            isOver = true;
            await handIn(engine, "A");
          }
          return read;
        };
      },
    });
    const { tasks } = await readStatus({ ...engine, ledger });
    expect(isOver).toBe(true);
    expect(tasks).toMatchObject([{ state: "IN_PROGRESS", alive: { lease: "running" }, waits: [] }]);
  });

  it("of an abandoned session shows no waiting", async () => {
    const engine = await memoryEngine();
    const opened = {
      name: session,
      goal: "x",
      mode: "full",
      base: "main",
      baseCommit: "0".repeat(40),
    } as const;
    await openSession(engine, opened, person);
    await begin(engine, "A", ["src"]);
    await operate(engine, "stop", { task: key("A") }, person);
    const blocker = { code: "abandoned", reason: "no longer needed", recovery: "resume" };
    const event = { type: "block", blocker } as const;
    expect(await moveSession(engine, { session, event }, person)).not.toHaveProperty("allow");
    const { tasks, workflow } = await readStatus(engine);
    expect(tasks).toMatchObject([{ id: "A", archived: true, waits: [] }]);
    expect(workflow).toMatchObject({ over: "abandoned" });
  });
});
