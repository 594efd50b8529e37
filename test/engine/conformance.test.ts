import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type OperationName, operations } from "../../src/contract/operations.ts";
import { parseIsoTime } from "../../src/core/points/iso-time.ts";
import { type TaskState, taskStates } from "../../src/core/tasks/states.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { ledgerFacts } from "../../src/engine/views/ledger-facts.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { fixtureProject } from "../support/fixture-project.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  result,
  stateOf,
  storyOf,
  submit,
  type TestEngine,
} from "../support/memory-engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const unproven = { status: "OK", summary: "done" };
const complete = (engine: TestEngine, task: string) => operate(engine, "complete", { task }, person);
const start = (engine: TestEngine) => dispatch(engine, packet("T-1", ["src"]));

/** The shortest way into each state. */
const ways: Readonly<Record<TaskState, (engine: TestEngine) => Promise<unknown>>> = {
  PENDING: (engine) => operate(engine, "task-add", { packet: packet("T-1", ["src"]) }, person),
  IN_PROGRESS: start,
  REVIEW: async (engine) => [await start(engine), await submit(engine, "T-1")],
  MERGED: async (engine) => [await ways.REVIEW(engine), await complete(engine, "T-1")],
  BLOCKED: async (engine) => [await start(engine), await submit(engine, "T-1", { nonsense: 1 })],
  REJECTED: async (engine) => [
    await start(engine),
    await submit(engine, "T-1", unproven),
    await complete(engine, "T-1"),
  ],
  FAILED: async (engine) => [
    await start(engine),
    await operate(engine, "task-cancel", { task: "T-1", reason: "wrong" }, person),
  ],
  ESCALATED: async (engine) => [
    await start(engine),
    await operate(engine, "task-escalate", { task: "T-1", reason: "stuck" }, person),
  ],
};

async function engineWith(state: TaskState): Promise<TestEngine> {
  const engine = await memoryEngine();
  await ways[state](engine);
  expect(await stateOf(engine, "T-1")).toBe(state);
  return engine;
}

describe("a task", () => {
  it("begins in PENDING, whether it was added or dispatched", async () => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: packet("T-1", ["src"]) }, person);
    await dispatch(engine, packet("T-2", ["lib"]));
    expect(await storyOf(engine, "T-1")).toEqual(["· → PENDING"]);
    expect((await storyOf(engine, "T-2"))[0]).toBe("· → PENDING");
  });

  it.each(taskStates.filter((state) => state !== "MERGED" && state !== "ESCALATED"))(
    "that is %s can be escalated, and a person's answer makes it PENDING again",
    async (state) => {
      const engine = await engineWith(state);
      const reason = "which rounding?";
      await operate(engine, "task-escalate", { task: "T-1", reason }, person);
      expect((await engine.ledger.task("T-1"))?.refusal?.details.escalation).toEqual({ reason });
      const answer = { task: "T-1", note: "half-even" };
      const agents: readonly Call[] = [{ role: "orchestrator" }, { role: "attempt", task: "T-1", epoch: 1 }];
      for (const agent of agents)
        expect((await operate(engine, "task-resolve", answer, agent)).code).toBe("R-AU-001");
      await operate(engine, "task-resolve", answer, person);
      expect((await storyOf(engine, "T-1")).slice(-2)).toEqual([
        `${state} → ESCALATED`,
        "ESCALATED → PENDING",
      ]);
    },
  );

  it("that is MERGED stays so after every operation", async () => {
    const engine = await engineWith("MERGED");
    const before = await engine.ledger.events();
    expect((await start(engine)).code).toBe("R-ST-001");
    for (const name of ["task-escalate", "task-cancel"] as const)
      expect((await operate(engine, name, { task: "T-1", reason: "x" }, person)).allow).toBe(false);
    expect((await operate(engine, "task-resolve", { task: "T-1", note: "x" }, person)).allow).toBe(false);
    expect(await engine.ledger.events()).toEqual(before);
  });

  it("that failed returns to PENDING only through a person", async () => {
    const engine = await engineWith("FAILED");
    expect((await start(engine)).code).toBe("R-ST-001");
    expect((await operate(engine, "task-retry", { task: "T-1" }, person)).code).toBe("R-ST-001");
    await operate(engine, "task-resolve", { task: "T-1", note: "again" }, person);
    expect((await storyOf(engine, "T-1")).slice(-2)).toEqual(["FAILED → ESCALATED", "ESCALATED → PENDING"]);
  });

  it("that is rejected shows with each rework why, and what would be accepted", async () => {
    const engine = await engineWith("REJECTED");
    expect((await start(engine)).details?.fix_delta).toEqual({
      code: "R-PC-001",
      reason: expect.stringContaining("acceptance_check"),
      guidance: "report on every required criterion, word for word",
      details: expect.anything(),
    });
  });

  it("counts its own rework, not that of other tasks", async () => {
    const engine = await engineWith("REJECTED");
    await dispatch(engine, packet("T-2", ["lib"]));
    await start(engine);
    const counted = (await engine.ledger.tasks()).map(({ key, counters }) => [key, counters.review_retries]);
    expect(counted).toEqual([
      ["T-1", 1],
      ["T-2", 0],
    ]);
  });
});

describe("a denied task", () => {
  it.each<[string, "BLOCKED" | "REJECTED", (engine: TestEngine) => Promise<unknown>]>([
    [
      "PreDispatch",
      "BLOCKED",
      (engine) => dispatch(engine, packet("T-1", ["src"], { assignment: { worklog_path: "" } })),
    ],
    ["PostExecution", "BLOCKED", ways.BLOCKED],
    ["PreComplete", "REJECTED", ways.REJECTED],
    [
      "WatchdogTick",
      "BLOCKED",
      async (engine) => {
        await start(engine);
        engine.sleep(601);
        return operate(engine, "watchdog", {}, person);
      },
    ],
  ])("is stopped by %s and does not continue by itself", async (_point, state, deny) => {
    const engine = await memoryEngine();
    await deny(engine);
    const task = await engine.ledger.task("T-1");
    expect(task).toMatchObject({
      state,
      refusal: {
        code: expect.stringMatching(/^R-(?:PD|PO|PC|WD)-\d{3}$/),
        reason: expect.stringMatching(/./),
      },
    });
    const before = await engine.ledger.events();
    await submit(engine, "T-1");
    await complete(engine, "T-1");
    await operate(engine, "heartbeat", { task: "T-1" }, person);
    expect(await engine.ledger.events()).toEqual(before);
    expect(await stateOf(engine, "T-1")).toBe(state);
  });

  it("has no second retry, neither by `task-retry` nor by another dispatch", async () => {
    const engine = await memoryEngine();
    const bad = (worklog_path: string) => packet("T-1", ["src"], { assignment: { worklog_path } });
    await dispatch(engine, bad(""));
    const retry = { task: "T-1", packet: bad("../a.md") };
    expect((await operate(engine, "task-retry", retry, person)).details).toMatchObject({ state: "PENDING" });
    expect((await dispatch(engine, bad("../a.md"))).details).toMatchObject({ state: "ESCALATED" });
    const again = { task: "T-1", packet: packet("T-1", ["src"]) };
    expect((await operate(engine, "task-retry", again, person)).code).toBe("R-ST-001");
    expect((await start(engine)).code).toBe("R-ST-001");
    expect(await stateOf(engine, "T-1")).toBe("ESCALATED");
  });

  it("is not merged if it changes a forbidden path, even if the rest is correct", async () => {
    const engine = await memoryEngine();
    const assignment = { forbidden_scope: ["src/keys"] };
    await dispatch(engine, packet("T-1", ["src"], { assignment }));
    const changes = [{ resource: "src/keys/a.pem", action: "edit" }];
    expect(await submit(engine, "T-1", result("T-1", { changes }))).toMatchObject({
      code: "R-PW-002",
      details: { state: "BLOCKED" },
    });
    expect((await complete(engine, "T-1")).code).toBe("R-ST-001");
  });
});

describe("in parallel", () => {
  const using = (...uses: string[]) => ({ assignment: { uses } });
  it.each<[string, readonly [object, object], string]>([
    [
      "analysis that only writes its own report",
      [packet("A", ["out/a.md"]), packet("B", ["out/b.md"])],
      "OK",
    ],
    ["writes to different files", [packet("A", ["src/a.ts"]), packet("B", ["src/b.ts"])], "OK"],
    ["writes to the same file", [packet("A", ["src/a.ts"]), packet("B", ["src/a.ts"])], "R-PD-003"],
    ["independent test suites", [packet("A", ["test/a/**"]), packet("B", ["test/b/**"])], "OK"],
    [
      "one database",
      [packet("A", ["a"], using("database")), packet("B", ["b"], using("database"))],
      "R-PD-003",
    ],
    [
      "one infrastructure",
      [packet("A", ["a"], using("cloud")), packet("B", ["b"], using("cloud"))],
      "R-PD-003",
    ],
    ["owned globs that are apart", [packet("A", ["src/api/**"]), packet("B", ["src/pages/**"])], "OK"],
    ["owned globs that share a file", [packet("A", ["src/**"]), packet("B", ["**/*.css"])], "R-PD-003"],
  ])("two agents with %s", async (_what, [one, other], code) => {
    const engine = await memoryEngine();
    expect((await dispatch(engine, one)).code).toBe("OK");
    expect((await dispatch(engine, other)).code).toBe(code);
  });

  it.each(["cat src/b/x.ts", "grep -rn price src", "git diff -- src/b", "wc -l src/*/*.ts"])(
    "every task may read what another task holds: %s",
    (command) => {
      expect(fixtureProject.judge(command)).toEqual([]);
      expect(fixtureProject.judge(`${command} > src/b/x.ts`)).not.toEqual([]);
    },
  );
});

describe("the task machine", () => {
  /** For each operation, a valid input. */
  const inputs = {
    status: {},
    "task-list": {},
    "task-show": { task: "T-1" },
    "task-add": { packet: packet("T-1", ["src"]) },
    "task-retry": { task: "T-1", packet: packet("T-1", ["src"], { context_revision: 9 }) },
    "task-escalate": { task: "T-1", reason: "stuck" },
    "task-resolve": { task: "T-1", note: "go on" },
    "task-cancel": { task: "T-1", reason: "enough" },
    stop: { task: "T-1" },
    take: { task: "T-1" },
    dispatch: { packet: packet("T-1", ["src"], { context_revision: 9 }) },
    heartbeat: { task: "T-1", tokens: 1 },
    submit: { task: "T-1", document: result("T-1") },
    complete: {
      task: "T-1",
      document: { acceptance_check: [{ criterion: "tests pass", status: "pass", evidence: "npm test" }] },
    },
    release: { task: "T-1" },
    widen: { task: "T-1", paths: ["docs"], why: "needed" },
    "lock-list": {},
    watchdog: {},
    reconcile: {},
    decisions: {},
    decide: { id: "UD-1", answer: "approved" },
    "audit-list": {},
    "audit-verify": {},
    pause: {},
    "stop-all": {},
    clear: {},
    "machine-list": {},
    "machine-drain": { machine: "one" },
    "machine-forget": { machine: "one" },
    "guard-facts": {},
    "guard-record": {
      task: "T-1",
      kind: "refused",
      agent: null,
      tool: "Write",
      code: "R-PW-001",
      target: "b",
      reason: "x",
      bytes: 1,
    },
  } as const satisfies Record<OperationName, object>;
  const names = Object.keys(operations) as OperationName[];

  it.each(taskStates)("merges work only by completing it in REVIEW: %s", async (state) => {
    const merging: string[] = [];
    for (const name of names) {
      const engine = await engineWith(state);
      engine.disk["/repo/worklogs/T-1.md"] = "and more than that\n".repeat(9);
      await operate(engine, name, inputs[name] as never, person);
      if ((await stateOf(engine, "T-1")) === "MERGED") merging.push(name);
      expect(await operate(engine, "reconcile", {}, person)).toMatchObject({ problems: [] });
    }
    expect(merging).toEqual(state === "MERGED" ? names : state === "REVIEW" ? ["complete"] : []);
  });

  it("records every change of state once: from, to, actor, cause and time", async () => {
    const engine = await engineWith("BLOCKED");
    const again = () => dispatch(engine, packet("T-1", ["src"], { context_revision: 1 }));
    await again();
    await submit(engine, "T-1", unproven, { role: "attempt", task: "T-1", epoch: 2 });
    await complete(engine, "T-1");
    await again();
    engine.sleep(601);
    await operate(engine, "watchdog", {}, person);
    await operate(engine, "task-resolve", { task: "T-1", note: "go on" }, person);
    await again();
    await submit(engine, "T-1");
    await complete(engine, "T-1");
    const changes = (await engine.ledger.events()).filter(({ to }) => to !== null);
    let reached: string | null = null;
    for (const { from, to, actor, cause, at, type } of changes) {
      expect(from).toBe(reached);
      reached = to;
      expect(actor).toMatch(/^(?:person|orchestrator|system|attempt:T-1#\d+)$/);
      expect(names).toContain(cause);
      expect(type).toMatch(/^task\.[a-z]+$/);
      expect(parseIsoTime(at)).toBeDefined();
    }
    expect(reached).toBe(await stateOf(engine, "T-1"));
    expect(new Set(changes.map(({ to }) => to)).size).toBe(taskStates.length);
    expect(new Set(changes.map(({ actor }) => actor))).toEqual(
      new Set(["person", "attempt:T-1#2", "system"]),
    );
    const refused = changes.filter(({ type }) => type === "task.denied" || type === "task.rejected");
    expect(refused.map(({ data }) => data)).toMatchObject([
      { refusal: { code: "R-PO-001", reason: expect.stringMatching(/./) } },
      { fixDelta: { code: "R-PC-001", reason: expect.stringMatching(/./) } },
      { refusal: { code: "R-WD-001", reason: expect.stringMatching(/./) } },
    ]);
  });
});

describe("the ledger's clock", () => {
  const times = {
    now: "2031-01-01T00:00:00Z",
    at: "1999-01-01T00:00:00Z",
    last_heartbeat_at: "2031-01-01T00:00:00Z",
    lease_expires_at: "2031-01-01T00:00:00Z",
    started_at: "1999-01-01T00:00:00Z",
  };

  async function eventsOf(said: object) {
    const engine = await memoryEngine({ limits: { minutes: { warn: null, halt: null } } });
    const answers = [await dispatch(engine, { ...packet("T-1", ["src"], { assignment: said }), ...said })];
    engine.sleep(500);
    answers.push(await operate(engine, "heartbeat", { task: "T-1", ...said } as never, person));
    engine.sleep(550);
    answers.push(await operate(engine, "watchdog", said as never, person));
    engine.sleep(100);
    answers.push(await submit(engine, "T-1", { ...result("T-1"), ...said }));
    answers.push(await operate(engine, "watchdog", said as never, person));
    return answers.map(({ code, details }) => [code, details?.lease_expires_at, details?.state]);
  }

  it("is the only clock: no time in an agent's document counts", async () => {
    const alone = await eventsOf({});
    expect(alone.map(([code]) => code)).toEqual(["OK", "OK", "OK", "R-LS-001", "R-WD-001"]);
    expect(await eventsOf(times)).toEqual(alone);
  });
});

describe("the facts that hooks get from the ledger", () => {
  it("are its locks, its running tasks, and a snapshot of all four parts", async () => {
    const engine = await engineWith("IN_PROGRESS");
    await dispatch(engine, packet("T-2", ["src/a"]));
    await dispatch(engine, packet("T-3", ["lib"]));
    await submit(engine, "T-3", unproven);
    await complete(engine, "T-3");
    const held = [
      { task_id: "T-1", resource: "src", active: true },
      { task_id: "T-1", resource: "worklogs/T-1.md", active: true },
      { task_id: "T-3", resource: "lib", active: true },
      { task_id: "T-3", resource: "worklogs/T-3.md", active: true },
    ];
    expect(await ledgerFacts(engine, "PreDispatch")).toEqual({ active_locks: held });
    expect(await ledgerFacts(engine, "PreExecution")).toEqual({ active_locks: held });
    expect(await ledgerFacts(engine, "OnLockUpdate")).toEqual({ locks: held });
    engine.sleep(30);
    expect(await ledgerFacts(engine, "WatchdogTick")).toEqual({
      now: "2026-02-14T20:00:30.000Z",
      tasks: [
        {
          task_id: "T-1",
          status: "in_progress",
          timeout_seconds: 600,
          last_heartbeat_at: "2026-02-14T20:00:00.000Z",
        },
      ],
    });
    expect(await ledgerFacts(engine, "PreCompact")).toMatchObject({
      snapshot: {
        ledger: [{ task_id: "T-1" }, { task_id: "T-2" }, { task_id: "T-3" }],
        locks: held,
        blockers: [
          { task_id: "T-2", state: "BLOCKED", waiting_for: "T-1" },
          { task_id: "T-3", state: "REJECTED", code: "R-PC-001" },
        ],
        learnings: [{ type: "task.rejected", task_id: "T-3" }],
      },
    });
  });
});

describe("an event that cannot be written", () => {
  it("undoes its action: nothing happens without an event in the log", async () => {
    using folder = temporaryFolder();
    const ledger = await openSqliteLedger({ folder: folder.path, create: true });
    const engine = await memoryEngine({ ledger });
    await start(engine);
    const everything = async () => [
      await ledger.tasks(),
      await ledger.attempt("T-1"),
      await ledger.locks(),
      await ledger.events(),
      await ledger.fence(),
    ];
    const before = await everything();
    using database = new DatabaseSync(join(folder.path, "state.db"));
    database.exec("CREATE TRIGGER no_more BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no more'); END");
    const actions = [
      () => dispatch(engine, packet("T-2", ["lib"])),
      () => submit(engine, "T-1"),
      () => operate(engine, "release", { task: "T-1" }, person),
      () => operate(engine, "widen", { task: "T-1", paths: ["docs"], why: "needed" }, person),
      () => operate(engine, "task-cancel", { task: "T-1", reason: "no" }, person),
      () => operate(engine, "stop-all", {}, person),
    ];
    for (const act of actions) await expect(act()).rejects.toThrow("no more");
    expect(await everything()).toEqual(before);
    expect(await ledger.setting("breaker")).toBeUndefined();
    // A stop is shown to the hooks before it is recorded, so a failure here is on the safe side.
    expect(engine.shown).toEqual(["STOP"]);
    database.exec("DROP TRIGGER no_more");
    expect((await submit(engine, "T-1")).allow).toBe(true);
    ledger.close();
  });
});
