import { describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  stateOf,
  storyOf,
  submit,
} from "../support/memory-engine.ts";

describe("a dispatch", () => {
  it("that is allowed starts the task and holds its whole scope", async () => {
    const engine = await memoryEngine();
    const verdict = await dispatch(engine, packet("T-1", ["src/a", "test/a.ts"]));
    expect(verdict).toMatchObject({
      allow: true,
      code: "OK",
      details: { attempt: 1, epoch: 1, lease_expires_at: "2026-02-14T20:10:00.000Z", fix_delta: null },
    });
    expect(verdict.details?.token).toMatch(/^[\w-]{43}$/);
    const locks = await engine.ledger.locks({ active: true });
    expect(locks.map(({ task, resource, epoch }) => [task, resource, epoch])).toEqual([
      ["T-1", "src/a", 1],
      ["T-1", "test/a.ts", 1],
      ["T-1", "worklogs/T-1.md", 1],
    ]);
    expect(await storyOf(engine, "T-1")).toEqual(["· → PENDING", "PENDING → IN_PROGRESS"]);
  });

  it.each<[string, readonly string[], readonly string[], string]>([
    ["a folder above", ["src/a/b.ts"], ["src"], "R-PD-003"],
    ["a file below", ["src"], ["src/a/b.ts"], "R-PD-003"],
    ["the same path spelled otherwise", ["./src//a/"], ["src/x/../a"], "R-PD-003"],
    ["a glob over it", ["src/a.ts"], ["**/*.ts"], "R-PD-003"],
    ["two globs that can meet", ["src/*.ts"], ["src/a*"], "R-PD-003"],
    ["a name that only begins alike", ["src"], ["src2"], "OK"],
    ["globs of other endings", ["src/*.ts"], ["src/*.md"], "OK"],
    ["the whole repository", ["."], ["x"], "R-PD-003"],
  ])("judges overlap by segment: %s", async (_name, held, asked, code) => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", held));
    expect((await dispatch(engine, packet("T-2", asked))).code).toBe(code);
  });

  it("is refused if the task's type excludes the named agent, and changes nothing", async () => {
    const engine = await memoryEngine({ limits: { implementers: { product: ["coder"] } } });
    const typed = (agent: string) => ({ ...packet("T-1", ["src"]), type: "product", agent });
    expect(await dispatch(engine, typed("tester"))).toMatchObject({
      code: "R-IN-001",
      reason: "`tester` may not work on tasks of type `product`: use `coder` as `agent`",
    });
    expect(await engine.ledger.task("T-1")).toBeUndefined();
    expect((await dispatch(engine, typed("coder"))).allow).toBe(true);
  });

  it("locks a whole scope or none of it", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src/b"]));
    await dispatch(engine, packet("T-2", ["src/a", "src/b", "src/c"]));
    expect((await engine.ledger.locks({ task: "T-2" })).length).toBe(0);
    expect((await dispatch(engine, packet("T-3", ["src/a"]))).allow).toBe(true);
  });

  it("ignores the locks of a finished task", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await operate(engine, "task-cancel", { task: "T-1", reason: "no" }, person);
    expect((await dispatch(engine, packet("T-2", ["src"]))).allow).toBe(true);
  });

  it("of a running task is refused with R-ST-001 and changes nothing", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    const again = await dispatch(engine, packet("T-1", ["src", "lib"]));
    expect(again).toMatchObject({ code: "R-ST-001", details: { state: "IN_PROGRESS" } });
    expect((await engine.ledger.locks({ active: true })).length).toBe(2);
    expect((await dispatch(engine, packet("T-1", []))).code).toBe("R-PD-002");
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
  });

  it("gives each attempt a higher epoch, for any task", async () => {
    const engine = await memoryEngine();
    const epochs: unknown[] = [];
    for (const id of ["T-1", "T-2", "T-1"]) {
      epochs.push((await dispatch(engine, packet(id, [`src/${id}`]))).details?.epoch);
      await operate(engine, "release", { task: id }, person);
    }
    expect(epochs).toEqual([1, 2, 3]);
  });

  it("counts the packet's own active_locks together with those of the ledger", async () => {
    const engine = await memoryEngine();
    const foreign = [{ task_id: "X-9", resource: "src", active: true }];
    expect((await dispatch(engine, packet("T-1", ["src/a"], { active_locks: foreign }))).code).toBe(
      "R-PD-003",
    );
    expect((await dispatch(engine, packet("T-2", ["lib"], { active_locks: [{}] }))).code).toBe("R-PD-007");
  });

  it.each(["src/\ud800", "src/\udfff/a"])("of an impossible path is refused", async (path) => {
    expect((await dispatch(await memoryEngine(), packet("T-1", [path]))).code).toBe("R-PD-002");
  });

  it("with a runner that is not running is refused", async () => {
    const engine = await memoryEngine();
    engine.dead.add(5);
    const asked = { packet: packet("T-1", ["src"]), runnerPid: 5 };
    expect((await operate(engine, "dispatch", asked, person)).code).toBe("R-IN-001");
  });

  it("with more than 1000 dependencies is refused", async () => {
    const depends_on = Array.from({ length: 1001 }, (_, index) => `D-${index}`);
    expect((await dispatch(await memoryEngine(), packet("T-1", ["src"], { depends_on }))).code).toBe(
      "R-IN-001",
    );
  });

  it("is not misled by a packet that lists a lock of a finished task", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await operate(engine, "task-cancel", { task: "T-1", reason: "no" }, person);
    const claimed = [{ task_id: "T-1", resource: "src", active: true }];
    const refused = await dispatch(engine, packet("T-2", ["src"], { active_locks: claimed }));
    expect(refused).toMatchObject({ code: "R-PD-003", details: { state: "BLOCKED" } });
    expect((await dispatch(engine, packet("T-2", ["src"]))).allow).toBe(true);
  });

  it.each<[string, object, string]>([
    ["an objective alone", { objective: "round prices" }, "R-PD-001"],
    ["no evidence", { objective: "round prices", forbidden_actions: [] }, "R-PD-001"],
    ["all of it", { objective: "round prices", forbidden_actions: [], evidence: ["test output"] }, "OK"],
  ])("needs the whole delegation checklist if it has any part of it: %s", async (_name, assignment, code) => {
    const engine = await memoryEngine();
    expect((await dispatch(engine, packet("T-1", ["src"], { assignment }))).code).toBe(code);
  });

  it.each([
    ["a number", 7, "R-PD-001"],
    ["a blank", "T 1", "R-IN-001"],
    ["a path", "a/b/c", "R-IN-001"],
    ["a leading digit", "1T", "R-IN-001"],
  ])("with %s as the task id is refused and stores nothing", async (_name, id, code) => {
    const engine = await memoryEngine();
    expect((await dispatch(engine, { ...packet("T-1", ["src"]), task_id: id })).code).toBe(code);
    expect(await engine.ledger.tasks()).toEqual([]);
  });

  it.each([undefined, null, [], "x", 3])("of %j is not a packet", async (document) => {
    expect((await dispatch(await memoryEngine(), document)).code).toBe("R-IN-001");
  });
});

describe("a denied dispatch", () => {
  it("blocks the task with code and reason, and the second one fails and escalates it", async () => {
    const engine = await memoryEngine();
    const bad = packet("T-1", ["src"], { assignment: { worklog_path: "" } });
    expect(await dispatch(engine, bad)).toMatchObject({ code: "R-PD-005", details: { state: "BLOCKED" } });
    expect(await engine.ledger.task("T-1")).toMatchObject({
      state: "BLOCKED",
      refusal: { code: "R-PD-005" },
    });
    const other = packet("T-1", ["src"], { assignment: { worklog_path: "../out.md" } });
    expect(await dispatch(engine, other)).toMatchObject({
      code: "R-PD-005",
      details: { state: "ESCALATED" },
    });
    expect(await storyOf(engine, "T-1")).toEqual([
      "· → PENDING",
      "PENDING → BLOCKED",
      "BLOCKED → PENDING",
      "PENDING → FAILED",
      "FAILED → ESCALATED",
    ]);
    const task = await engine.ledger.task("T-1");
    expect(task?.refusal?.details.escalation).toMatchObject({ recommendation: "try another model" });
  });

  it("is retried once, and only with a changed assignment", async () => {
    const engine = await memoryEngine();
    const bad = packet("T-1", ["src"], { assignment: { timeout_seconds: 0 } });
    await dispatch(engine, bad);
    expect((await dispatch(engine, bad)).code).toBe("R-RT-001");
    expect(await stateOf(engine, "T-1")).toBe("BLOCKED");
    expect((await dispatch(engine, packet("T-1", ["src"]))).allow).toBe(true);
    expect((await engine.ledger.task("T-1"))?.counters.block_retries).toBe(1);
  });

  it.each([
    ["lock_scope", "src", { paths: ["src"] }, "R-PD-002"],
    ["forbidden_scope", "dist", { paths: ["dist"] }, "R-PD-004"],
    ["worklog_path", 3, ["log.md"], "R-PD-005"],
    ["timeout_seconds", "600", "900", "R-PD-006"],
  ])("counts as changed if a field of the wrong type changes: %s", async (name, first, second, code) => {
    const engine = await memoryEngine();
    const given = (value: unknown) => packet("T-1", ["src"], { assignment: { [name]: value } });
    expect((await dispatch(engine, given(first))).code).toBe(code);
    expect((await dispatch(engine, given(first))).code).toBe("R-RT-001");
    const { assignment } = (await engine.ledger.task("T-1")) ?? {};
    expect(assignment).toMatchObject({ acceptance_criteria: ["tests pass"], unread: { [name]: first } });
    expect((await dispatch(engine, given(second))).code).toBe(code);
  });

  it("may be repeated unchanged if its context revision grows", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    await submit(engine, "T-1", { status: "nonsense" });
    expect(await stateOf(engine, "T-1")).toBe("BLOCKED");
    expect((await dispatch(engine, packet("T-1", ["src"]))).code).toBe("R-RT-001");
    expect((await dispatch(engine, packet("T-1", ["src"], { context_revision: 1 }))).allow).toBe(true);
  });

  it("that waits for a lock costs no retry and is unblocked by the release of that lock", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("T-1", ["src"]));
    for (let turn = 0; turn < 3; turn += 1)
      expect((await dispatch(engine, packet("T-2", ["src/a"]))).code).toBe("R-PD-003");
    expect(await stateOf(engine, "T-2")).toBe("BLOCKED");
    await operate(engine, "release", { task: "T-1" }, person);
    expect(await stateOf(engine, "T-2")).toBe("PENDING");
    expect((await dispatch(engine, packet("T-2", ["src/a"]))).allow).toBe(true);
    expect((await engine.ledger.task("T-2"))?.counters.block_retries).toBe(0);
  });
});

describe("a task that was added before its dispatch", () => {
  const terms = {
    agent: "ann",
    depends_on: ["T-0"],
    assignment: { acceptance_criteria: ["cmd: false"], forbidden_scope: ["src/secret"], uses: ["database"] },
  };

  it("keeps its terms, whatever a packet omits or contradicts", async () => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: packet("T-1", ["src"], terms) }, person);
    const replaced = { depends_on: [], assignment: { acceptance_criteria: ["looks fine"], uses: [] } };
    expect((await dispatch(engine, packet("T-1", ["src/a"], replaced))).code).toBe("R-PE-001");
    const task = await engine.ledger.task("T-1");
    expect(task).toMatchObject({
      dependsOn: ["T-0"],
      assignment: {
        lock_scope: ["src/a"],
        acceptance_criteria: ["cmd: false", "looks fine"],
        forbidden_scope: ["src/secret"],
        uses: ["database"],
      },
    });
  });

  it("can be dispatched by its id alone", async () => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: packet("T-1", ["src"], { agent: "ann" }) }, person);
    expect((await dispatch(engine, { task_id: "T-1" })).allow).toBe(true);
    expect((await engine.ledger.task("T-1"))?.agent).toBe("ann");
  });
});

describe("named resources", () => {
  const uses = (id: string) => packet(id, [`src/${id}`], { assignment: { uses: ["database"] } });

  it("are locked in the same way as paths", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, uses("T-1"));
    expect(await dispatch(engine, uses("T-2"))).toMatchObject({
      code: "R-PD-003",
      details: { resource: "database", conflict_task_id: "T-1" },
    });
    await operate(engine, "release", { task: "T-1" }, person);
    expect((await dispatch(engine, uses("T-2"))).allow).toBe(true);
  });

  it("may be used by several tasks", async () => {
    const engine = await memoryEngine({ limits: { resources: { database: 2 } } });
    const codes = [];
    for (const id of ["T-1", "T-2", "T-3"]) codes.push((await dispatch(engine, uses(id))).code);
    expect(codes).toEqual(["OK", "OK", "R-PD-003"]);
  });
});

describe("dependencies", () => {
  const dependent = (id: string, ...depends_on: string[]) => packet(id, [`src/${id}`], { depends_on });
  async function merge(engine: Awaited<ReturnType<typeof memoryEngine>>, id: string) {
    await submit(engine, id);
    expect((await operate(engine, "complete", { task: id }, person)).allow).toBe(true);
  }

  it("must all be merged before a task starts; the task unblocks by itself", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("A", ["a"]));
    await dispatch(engine, packet("B", ["b"]));
    expect(await dispatch(engine, dependent("C", "A", "B"))).toMatchObject({
      code: "R-PE-001",
      details: { waiting_for: ["A", "B"], state: "BLOCKED" },
    });
    await merge(engine, "A");
    expect(await stateOf(engine, "C")).toBe("BLOCKED");
    expect((await dispatch(engine, dependent("C", "A", "B"))).code).toBe("R-PE-001");
    await merge(engine, "B");
    expect(await stateOf(engine, "C")).toBe("PENDING");
    expect((await dispatch(engine, dependent("C", "A", "B"))).allow).toBe(true);
    expect((await engine.ledger.task("C"))?.counters.block_retries).toBe(0);
  });

  it("that fail block everything downstream with R-DP-001 until a person resolves them", async () => {
    const engine = await memoryEngine();
    const add = (id: string, ...depends_on: string[]) =>
      operate(engine, "task-add", { packet: dependent(id, ...depends_on) }, person);
    for (const [id, ...deps] of [["A"], ["B", "A"], ["C", "B"], ["X"], ["Y", "X", "B"]] as const)
      expect((await add(id, ...deps)).allow).toBe(true);
    await operate(engine, "task-cancel", { task: "A", reason: "wrong" }, person);
    const blocked = await engine.ledger.tasks({ states: ["BLOCKED"] });
    expect(blocked.map(({ key, refusal, hold }) => [key, refusal?.code, hold?.by])).toEqual([
      ["B", "R-DP-001", "A"],
      ["C", "R-DP-001", "A"],
      ["Y", "R-DP-001", "A"],
    ]);
    await operate(engine, "task-cancel", { task: "X", reason: "wrong too" }, person);
    await operate(engine, "task-resolve", { task: "A", note: "do it again" }, person);
    expect(await stateOf(engine, "B")).toBe("PENDING");
    expect(await stateOf(engine, "C")).toBe("PENDING");
    expect(await engine.ledger.task("Y")).toMatchObject({ state: "BLOCKED", hold: { by: "X" } });
    await operate(engine, "task-resolve", { task: "X", note: "again" }, person);
    expect(await stateOf(engine, "Y")).toBe("PENDING");
  });

  it("that have failed block a task when it is added or dispatched", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet("A", ["a"]));
    await operate(engine, "task-cancel", { task: "A", reason: "wrong" }, person);
    expect(
      (await operate(engine, "task-add", { packet: dependent("B", "A") }, person)).details,
    ).toMatchObject({
      state: "BLOCKED",
    });
    expect(await dispatch(engine, dependent("C", "A"))).toMatchObject({ code: "R-DP-001" });
  });

  it("in a circle are refused in a packet too", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, dependent("A", "B"));
    expect((await dispatch(engine, dependent("B", "A"))).code).toBe("R-IN-001");
    expect(await stateOf(engine, "B")).toBeUndefined();
  });

  it("in a circle are refused", async () => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: dependent("A", "B") }, person);
    await operate(engine, "task-add", { packet: dependent("B", "C") }, person);
    const refused = await operate(engine, "task-add", { packet: dependent("C", "A") }, person);
    expect(refused).toMatchObject({
      code: "R-IN-001",
      reason: "task `C` would wait for itself: C → A → B → C",
    });
    expect((await operate(engine, "task-add", { packet: dependent("D", "D") }, person)).code).toBe(
      "R-IN-001",
    );
  });
});
