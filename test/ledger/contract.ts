import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { literalPrefix } from "../../src/core/paths/stored-shape.ts";
import type { Details } from "../../src/core/rules/verdict.ts";
import type { TaskState } from "../../src/core/tasks/states.ts";
import type { Task } from "../../src/core/tasks/task.ts";
import { InvariantBroken } from "../../src/ledger/invariant-broken.ts";
import type { Change, Ledger, LedgerEvent, Lock, NewEvent } from "../../src/ledger/ledger.ts";
import { modelledChanges } from "./modelled-changes.ts";
import {
  at,
  committed,
  creating,
  dumpOf,
  moving,
  newAttempt,
  newDecision,
  newEvent,
  newLock,
  newRole,
  newRun,
  newSession,
  newTask,
  stateEvent,
} from "./sample-documents.ts";

interface OpenedLedger extends AsyncDisposable {
  readonly ledger: Ledger;
  /** Runs SQL without the ledger, if the engine has a database that others can reach. */
  readonly raw?: (sql: string) => unknown;
}

export interface Engine {
  readonly open: () => Promise<OpenedLedger>;
  /** The number of runs of the expensive properties. */
  readonly runs: number;
  /** SQL that tries to change three events or the lock 1 on `src` of task T-1 without the ledger. */
  readonly tampering?: readonly string[];
}

type Open = Engine["open"];

/** The behavior of every engine of the ledger. */
export function ledgerContract(name: string, { open, runs, tampering }: Engine): void {
  describe(`${name}: documents`, () => documents(open));
  describe(`${name}: a change`, () => changes(open, runs));
  describe(`${name}: INV-5`, () => stateChains(open));
  describe(`${name}: tasks`, () => taskLists(open));
  describe(`${name}: locks`, () => locks(open, runs));
  describe(`${name}: events`, () => events(open));
  describe(`${name}: requests, intents and settings`, () => others(open));
  describe(`${name}: evidence`, () => evidence(open));
  if (tampering !== undefined) describe(`${name}: events and locks`, () => outOfReach(open, tampering));
}

function documents(open: Open): void {
  type Kind = { put: (version: number) => Change; name: string; read: (ledger: Ledger) => Promise<unknown> };
  const task = newTask("s/T-1");
  const kinds: [string, Kind][] = [
    [
      "a task",
      {
        put: (version) =>
          version === 0 ? creating(task) : { tasks: [{ ...task, version, title: `version ${version}` }] },
        name: "task s/T-1",
        read: (ledger) => ledger.task("s/T-1"),
      },
    ],
    [
      "an attempt",
      {
        put: (version) => ({ attempts: [newAttempt("s/T-1", { version, tokens: version })] }),
        name: "attempt s/T-1#1",
        read: (ledger) => ledger.attempt("s/T-1"),
      },
    ],
    [
      "a decision",
      {
        put: (version) => ({ decisions: [newDecision("D-1", { version, question: `version ${version}` })] }),
        name: "decision D-1",
        read: async (ledger) => (await ledger.decisions())[0],
      },
    ],
    [
      "a session",
      {
        put: (version) => ({
          sessions: [newSession("2026-02-14_shop", { version, goal: `version ${version}` })],
        }),
        name: "session 2026-02-14_shop",
        read: (ledger) => ledger.session("2026-02-14_shop"),
      },
    ],
    [
      "a role",
      {
        put: (version) => ({ roles: [newRole("integrator main", { version, epoch: version + 7 })] }),
        name: "role integrator main",
        read: (ledger) => ledger.role("integrator main"),
      },
    ],
  ];

  it.each(kinds)("%s is stored with the next version if it has the current one", async (_, kind) => {
    await using opened = await open();
    const { ledger } = opened;
    expect(await kind.read(ledger)).toBeUndefined();
    for (const version of [0, 1, 2]) {
      expect(await ledger.commit(kind.put(version))).toMatchObject({ ok: true });
      const [sent] = Object.values(kind.put(version))[0] as object[];
      expect(await kind.read(ledger)).toEqual({ ...sent, version: version + 1 });
    }
  });

  it.each(kinds)("%s with another version is a conflict, and changes nothing", async (_, kind) => {
    await using opened = await open();
    const { ledger } = opened;
    expect(await ledger.commit(kind.put(1))).toEqual({ conflict: kind.name });
    committed(await ledger.commit(kind.put(0)));
    const before = [await dumpOf(ledger), await kind.read(ledger)];
    for (const version of [0, 2, -1])
      expect(await ledger.commit(kind.put(version))).toEqual({ conflict: kind.name });
    expect([await dumpOf(ledger), await kind.read(ledger)]).toEqual(before);
  });

  it.each(kinds)("%s that is written twice in one change is an error", async (_, kind) => {
    await using opened = await open();
    const [[field, sent] = ["", []]] = Object.entries(kind.put(0)) as [string, object[]][];
    await expect(opened.ledger.commit({ [field]: [...sent, ...sent] })).rejects.toThrow(InvariantBroken);
  });

  it("are the same after reading them back", async () => {
    await using opened = await open();
    const odd = {
      text: "é 😀 \ud800 \u0000 \u2028 \"'`;--",
      long: "x".repeat(300_000),
      ["__proto__"]: { a: 1 },
      numbers: [0.1, 1e300, -1, Number.MAX_SAFE_INTEGER],
      none: null,
      nested: [[[{}]]],
    };
    const task = newTask("s/ü-😀", { assignment: odd, result: odd });
    committed(await opened.ledger.commit({ ...creating(task), attempts: [newAttempt("s/ü-😀")] }));
    expect(await opened.ledger.task("s/ü-😀")).toEqual({ ...task, version: 1 });
    expect(await opened.ledger.attempt("s/ü-😀")).toEqual({ ...newAttempt("s/ü-😀"), version: 1 });
    expect((await opened.ledger.verify()).problems).toEqual([]);
  });

  it.each(["a\u0000b", "a\ud800"])("refuse the key %j, which would be stored as another one", async (key) => {
    await using opened = await open();
    await expect(opened.ledger.commit(creating(newTask(key)))).rejects.toThrow(InvariantBroken);
    expect(await opened.ledger.tasks()).toEqual([]);
  });

  it("sessions are listed by name", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const names = ["2026-02-15_a", "2026-02-14_shop-2", "2026-02-14_shop"];
    committed(await ledger.commit({ sessions: names.map((name) => newSession(name)) }));
    expect((await ledger.sessions()).map(({ name }) => name)).toEqual(names.toReversed());
    expect(await ledger.session("2026-02-14")).toBeUndefined();
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it("the newest attempt has the highest number, and running ones are listed", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const attempts = [2, 10, 9].map((number) =>
      newAttempt("T-1", { number, epoch: number, leaseState: number === 10 ? "held" : "running" }),
    );
    committed(await ledger.commit({ attempts: [...attempts, newAttempt("T-2", { leaseState: "over" })] }));
    expect((await ledger.attempt("T-1"))?.number).toBe(10);
    expect((await ledger.runningAttempts()).map(({ number }) => number).sort()).toEqual([2, 9]);
    committed(
      await ledger.commit({ attempts: [newAttempt("T-1", { number: 9, version: 1, leaseState: "over" })] }),
    );
    expect((await ledger.runningAttempts()).map(({ number }) => number)).toEqual([2]);
  });
}

function changes(open: Open, runs: number): void {
  const whole: Change = {
    ...creating(newTask("T-1", { dependsOn: ["T-0"] })),
    attempts: [newAttempt("T-1")],
    decisions: [newDecision("D-1")],
    sessions: [newSession("2026-02-14_shop")],
    take: [newLock("T-1", "src/a"), newLock("T-1", "db", { kind: "resource", shapes: [] })],
    settings: { breaker: { open: true } },
    intents: [{ type: "move-base", task: "T-1", epoch: 1, data: { why: "test" } }],
    request: { key: "r-1", operation: "start", digest: "d", answer: { ok: true } },
    evidence: [newRun("k-1")],
    expect: { fence: 0 },
  };

  it("stores all of its parts", async () => {
    await using opened = await open();
    const { ledger } = opened;
    expect(await ledger.commit(whole)).toEqual({ ok: true, seq: 1 });
    const dump = await dumpOf(ledger);
    expect(dump).toMatchObject({
      tasks: [{ key: "T-1", version: 1 }],
      attempts: [{ task: "T-1", version: 1 }],
      locks: [
        { id: 1, resource: "src/a", active: true, releasedAt: null },
        { id: 2, resource: "db" },
      ],
      fence: 1,
      events: [{ seq: 1, task: "T-1" }],
      breaker: { open: true },
      intents: [{ id: 1, type: "move-base", task: "T-1", epoch: 1, data: { why: "test" } }],
      decisions: [{ id: "D-1", version: 1 }],
      answered: [{ operation: "start", digest: "d", answer: { ok: true } }, undefined, undefined],
    });
    expect(await ledger.evidence("k-1")).toEqual(newRun("k-1"));
    expect(await ledger.sessions()).toEqual([newSession("2026-02-14_shop", { version: 1 })]);
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it("without events returns the number of the last event", async () => {
    await using opened = await open();
    expect(await opened.ledger.commit({ settings: { breaker: 1 } })).toEqual({ ok: true, seq: 0 });
    committed(await opened.ledger.commit(creating(newTask("T-1"))));
    expect(await opened.ledger.commit({})).toEqual({ ok: true, seq: 1 });
  });

  it.each<[string, Change, string]>([
    ["a task that was changed", { tasks: [newTask("T-9", { version: 3 })] }, "task T-9"],
    ["an attempt that was changed", { attempts: [newAttempt("T-9", { version: 3 })] }, "attempt T-9#1"],
    ["a decision that was changed", { decisions: [newDecision("D-9", { version: 3 })] }, "decision D-9"],
    ["a session that was changed", { sessions: [newSession("s", { version: 3 })] }, "session s"],
    ["a task that it depends on", { expect: { tasks: { "T-7": 2 }, fence: 0 } }, "task T-7"],
    ["a task that must not exist", { expect: { tasks: { "T-7": 0 }, fence: 0 } }, "task T-7"],
    ["a role that was taken over", { expect: { roles: { integrator: 1 } } }, "role integrator"],
    ["a role without a holder", { expect: { roles: { other: 1 } } }, "role other"],
    ["a fence that moved", { expect: { fence: 3 } }, "fence"],
    ["an intent that is done", { intentsDone: [1] }, "intent 1"],
    ["an unknown intent", { intentsDone: [77] }, "intent 77"],
    [
      "a request that was answered",
      { request: { key: "r-0", operation: "x", digest: "", answer: 1 } },
      "request",
    ],
  ])("is refused completely for %s", async (_, stale, conflict) => {
    await using opened = await open();
    const { ledger } = opened;
    const intents = [{ type: "move-base" as const, task: "T-7", epoch: 1, data: null }];
    const request = { key: "r-0", operation: "a", digest: "", answer: 0 };
    const roles = [newRole("integrator", { epoch: 2 })];
    committed(await ledger.commit({ ...creating(newTask("T-7")), intents, request, roles }));
    committed(await ledger.commit({ intentsDone: [1] }));
    const before = await dumpOf(ledger);
    const tasks = [...(whole.tasks ?? []), ...(stale.tasks ?? [])];
    const mixed = { ...whole, ...stale, tasks, expect: { fence: 0, ...stale.expect } };
    expect(await ledger.commit(mixed)).toEqual({ conflict });
    expect(await dumpOf(ledger)).toEqual(before);
    expect(await ledger.evidence("k-1")).toBeUndefined();
    expect(await ledger.sessions()).toEqual([]);
    expect(
      await ledger.commit({
        ...whole,
        expect: { fence: 0, tasks: { "T-7": 1, "T-8": 0 }, roles: { integrator: 2 } },
      }),
    ).toMatchObject({
      ok: true,
    });
  });

  it("is compared with the committed state: one of many simultaneous changes wins", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const task = newTask("T-1");
    committed(await ledger.commit(creating(task)));
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ledger.commit({
          ...moving({ ...task, version: 1, title: `by ${index}` }, "IN_PROGRESS"),
          take: [newLock("T-1", `src/${index}`)],
          expect: { fence: 0 },
        }),
      ),
    );
    expect(results.filter((result) => "ok" in result)).toHaveLength(1);
    expect(await ledger.locks()).toHaveLength(1);
    expect(await ledger.events()).toHaveLength(2);
  });

  it("loses no update with many simultaneous writers", async () => {
    await using opened = await open();
    const { ledger } = opened;
    committed(await ledger.commit(creating(newTask("T-1"))));
    const addOne = async () => {
      for (;;) {
        const task = (await ledger.task("T-1")) as Task;
        const result = await ledger.commit({
          tasks: [{ ...task, tokens: task.tokens + 1 }],
          events: [newEvent("T-1")],
        });
        if ("ok" in result) return;
      }
    };
    await Promise.all(Array.from({ length: 25 }, addOne));
    expect(await ledger.task("T-1")).toMatchObject({ tokens: 25, version: 26 });
    expect((await ledger.events()).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 26 }, (_, n) => n + 1),
    );
  });

  it("has the same effect as in a small model, in any order, and none when it is repeated", async () => {
    await modelledChanges(open, runs);
  });
}

function stateChains(open: Open): void {
  const to = (state: TaskState) => (task: Task) => ({ ...task, state });
  const same = (task: Task) => task;
  it.each<[string, (task: Task) => Task, readonly NewEvent[]]>([
    ["a new state without an event", to("IN_PROGRESS"), []],
    [
      "an event that does not begin at the stored state",
      to("REVIEW"),
      [stateEvent("T-1", "IN_PROGRESS", "REVIEW")],
    ],
    ["an event that ends elsewhere", to("REVIEW"), [stateEvent("T-1", "PENDING", "IN_PROGRESS")]],
    [
      "a chain with a gap",
      to("MERGED"),
      [stateEvent("T-1", "PENDING", "IN_PROGRESS"), stateEvent("T-1", "REVIEW", "MERGED")],
    ],
    [
      "the same step twice",
      to("IN_PROGRESS"),
      [stateEvent("T-1", "PENDING", "IN_PROGRESS"), stateEvent("T-1", "PENDING", "IN_PROGRESS")],
    ],
    ["an event for a state that stays", same, [stateEvent("T-1", "PENDING", "IN_PROGRESS")]],
    ["a second creation", same, [stateEvent("T-1", null, "PENDING")]],
    ["an event into no state", same, [newEvent("T-1", { from: "PENDING", to: null })]],
    [
      "a task that leaves its state for null and returns",
      same,
      [newEvent("T-1", { from: "PENDING", to: null }), stateEvent("T-1", null, "PENDING")],
    ],
    ["an event of a task that is not written", same, [stateEvent("T-2", null, "PENDING")]],
    ["a change of state of no task", same, [newEvent(null, { from: "PENDING", to: "REVIEW" })]],
  ])("refuses %s", async (_, change, wrong) => {
    await using opened = await open();
    const { ledger } = opened;
    committed(await ledger.commit(creating(newTask("T-1"))));
    const task = (await ledger.task("T-1")) as Task;
    const before = await dumpOf(ledger);
    const commit = ledger.commit({ tasks: [change(task)], events: wrong, settings: { breaker: 1 } });
    await expect(commit).rejects.toThrow(InvariantBroken);
    expect(await dumpOf(ledger)).toEqual(before);
  });

  it("refuses a new task without its event", async () => {
    await using opened = await open();
    await expect(opened.ledger.commit({ tasks: [newTask("T-1")] })).rejects.toThrow("INV-5");
    expect(await opened.ledger.tasks()).toEqual([]);
  });

  it("accepts chains of several steps and of several tasks, and events between them", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const change: Change = {
      tasks: [newTask("T-1", { state: "REVIEW" }), newTask("T-2")],
      events: [
        stateEvent("T-1", null, "PENDING"),
        stateEvent("T-2", null, "PENDING"),
        newEvent("T-1"),
        newEvent(null),
        newEvent("T-3"),
        stateEvent("T-1", "PENDING", "IN_PROGRESS"),
        stateEvent("T-1", "IN_PROGRESS", "REVIEW"),
      ],
    };
    expect(await ledger.commit(change)).toEqual({ ok: true, seq: 7 });
    const task = (await ledger.task("T-1")) as Task;
    const round = [stateEvent("T-1", "REVIEW", "REJECTED"), stateEvent("T-1", "REJECTED", "REVIEW")];
    expect(await ledger.commit({ tasks: [task], events: round })).toEqual({ ok: true, seq: 9 });
    expect((await ledger.verify()).problems).toEqual([]);
  });
}

function taskLists(open: Open): void {
  it("have an assignment with valid types, even if an older Lockstep stored it", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const stored: Details = {
      lock_scope: "src",
      uses: ["db", 3],
      worklog_path: "log.md",
      forbidden_scope: null,
    };
    const tasks = [newTask("T-1", { assignment: stored }), newTask("T-2")];
    committed(await ledger.commit(creating(...tasks)));
    const read = {
      ...{ worklog_path: "log.md", forbidden_scope: null },
      unread: { lock_scope: "src", uses: ["db", 3] },
    };
    const lists = [ledger.tasks(), ledger.tasks({ states: ["PENDING"] })];
    for (const list of await Promise.all(lists))
      expect(list.map(({ assignment }) => assignment)).toEqual([read, tasks[1]?.assignment]);
    expect((await ledger.survey()).tasks[0]?.assignment).toEqual(read);
    expect((await ledger.task("T-1"))?.assignment).toEqual(read);
    expect(await ledger.verify()).toMatchObject({ problems: [] });
  });

  it("are filtered by state and session, in order of key, page by page", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const states = ["PENDING", "BLOCKED", "MERGED"] as const;
    // U+FF5E comes after an emoji in UTF-16 and before it in UTF-8; the order is that of the bytes.
    const keys = [...Array.from({ length: 40 }, (_, n) => `s${n % 3}/T-${n}`), "s/\uff5e", "s/😀"];
    const all = keys.map((key, n) =>
      newTask(key, { state: states[n % 3] as TaskState, session: n % 4 === 0 ? null : `s${n % 2}` }),
    );
    committed(await ledger.commit(creating(...all)));
    const sorted = [...all].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
    const filters = fc.record(
      {
        states: fc.subarray([...states, "FAILED"] as TaskState[]),
        session: fc.constantFrom("s0", "s1", "s9", null),
        after: fc.constantFrom("", "s", "s1/T-1", "s2/T-17", "s/\uff5e", "zzz"),
        limit: fc.integer({ min: 1, max: 50 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const expected = sorted
          .filter(({ state }) => filter.states?.includes(state) ?? true)
          .filter(({ session }) => filter.session === undefined || session === filter.session)
          .filter(({ key }) => Buffer.compare(Buffer.from(key), Buffer.from(filter.after ?? "")) > 0)
          .slice(0, filter.limit);
        const found = await ledger.tasks(filter);
        expect(found.map(({ key }) => key)).toEqual(expected.map(({ key }) => key));
      }),
      { numRuns: 150 },
    );
  });

  it("that depend on another one are found until they no longer do", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const keysOf = (tasks: readonly Task[]) => tasks.map(({ key }) => key);
    const task = newTask("T-3", { dependsOn: ["T-1", "T-2", "T-1"] });
    committed(await ledger.commit(creating(newTask("T-1"), newTask("T-2", { dependsOn: ["T-1"] }), task)));
    expect(keysOf(await ledger.dependents("T-1"))).toEqual(["T-2", "T-3"]);
    expect(keysOf(await ledger.dependents("T-2"))).toEqual(["T-3"]);
    committed(await ledger.commit({ tasks: [{ ...task, version: 1, dependsOn: ["T-2", "T-9"] }] }));
    expect(keysOf(await ledger.dependents("T-1"))).toEqual(["T-2"]);
    expect(keysOf(await ledger.dependents("T-2"))).toEqual(["T-3"]);
    expect(keysOf(await ledger.dependents("T-9"))).toEqual(["T-3"]);
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it("that wait for another one are found until they no longer do", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const hold = { kind: "lock", by: "T-1" } as const;
    const held = newTask("T-2", { state: "BLOCKED", hold });
    committed(
      await ledger.commit(creating(held, newTask("T-3", { state: "BLOCKED", hold: { ...hold, by: null } }))),
    );
    expect((await ledger.waitingFor("T-1")).map(({ key }) => key)).toEqual(["T-2"]);
    committed(await ledger.commit(moving({ ...held, version: 1, hold: null }, "PENDING")));
    expect(await ledger.waitingFor("T-1")).toEqual([]);
  });
}

function locks(open: Open, runs: number): void {
  const isNear = (lock: Lock, asked: readonly string[]) =>
    lock.active &&
    lock.kind === "path" &&
    lock.shapes.map(literalPrefix).some((prefix) =>
      asked.some((other) => {
        const [one, two] = [prefix, other].map((path) => (path === "" ? [] : path.split("/"))) as [
          string[],
          string[],
        ];
        return one.slice(0, two.length).join("/") === two.slice(0, one.length).join("/");
      }),
    );

  it("near a path are the same as in a search through all of them", async () => {
    const names = fc.constantFrom("a", "b", "a.b", "a-b", "a0", "é", "😀", "A");
    const path = fc.array(names, { maxLength: 4 }).map((segments) => segments.join("/"));
    const resource = fc.oneof(
      path,
      path.map((one) => (one === "" ? "**/x" : `${one}/*.ts`)),
      fc.constant("**"),
    );
    const steps = fc.array(
      fc.record({
        task: fc.constantFrom("T-1", "T-2", "T-3"),
        take: fc.array(resource, { maxLength: 5 }),
        drop: fc.boolean(),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.array(path, { maxLength: 4 }), { minLength: 3 }),
        async (all, questions) => {
          await using opened = await open();
          const { ledger } = opened;
          for (const { task, take, drop } of all) {
            const taken = take.map((one, n) =>
              n === 4 ? newLock(task, one, { kind: "resource" }) : newLock(task, one),
            );
            // A lock with two shapes is found once.
            const shapes = taken.flatMap((lock) => lock.shapes);
            const double = taken.length > 2 ? [newLock(task, "two", { shapes })] : [];
            const release = drop ? { release: { tasks: [task], at } } : {};
            const fence = await ledger.fence();
            committed(await ledger.commit({ take: [...taken, ...double], expect: { fence }, ...release }));
          }
          const everything = await ledger.locks();
          for (const asked of [[""], [], ...questions]) {
            const expected = everything.filter((lock) => isNear(lock, asked));
            expect(await ledger.locksNear(asked)).toEqual(expected);
          }
          expect((await ledger.verify()).problems).toEqual([]);
        },
      ),
      { numRuns: runs },
    );
  });

  it("are released before others are taken, and remain as a record", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const later = "2026-02-14T21:00:00.000Z";
    const first = [newLock("T-1", "src"), newLock("T-2", "docs")];
    committed(await ledger.commit({ take: first, expect: { fence: 0 } }));
    const change = {
      release: { tasks: ["T-1"], at: later },
      take: [newLock("T-1", "src/b")],
      expect: { fence: 1 },
    };
    committed(await ledger.commit(change));
    expect(await ledger.locks()).toEqual([
      { id: 1, ...first[0], active: false, releasedAt: later },
      { id: 2, ...first[1], active: true, releasedAt: null },
      { id: 3, ...newLock("T-1", "src/b"), active: true, releasedAt: null },
    ]);
    const idsOf = async (filter: Parameters<Ledger["locks"]>[0]) =>
      (await ledger.locks(filter)).map(({ id }) => id);
    expect(await idsOf({ task: "T-1" })).toEqual([1, 3]);
    expect(await idsOf({ task: "T-1", active: true })).toEqual([3]);
    expect(await idsOf({ active: true })).toEqual([2, 3]);
    expect(await idsOf({ active: false })).toEqual([1]);
    committed(await ledger.commit({ release: { tasks: ["T-1", "T-2", "T-3"], at } }));
    expect(await idsOf({ active: true })).toEqual([]);
    expect((await ledger.locks())[0]?.releasedAt).toBe(later);
    expect(await ledger.locksNear([""])).toEqual([]);
  });

  it("on resources are found by name while they are active", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const named = (task: string, name: string) => newLock(task, name, { kind: "resource", shapes: [] });
    const take = [named("T-1", "db"), named("T-1", "port:80"), named("T-2", "gpu"), newLock("T-3", "db")];
    committed(await ledger.commit({ take, expect: { fence: 0 } }));
    const idsOn = async (...names: string[]) => (await ledger.locksOnResources(names)).map(({ id }) => id);
    expect(await idsOn("gpu", "db", "db", "none")).toEqual([1, 3]);
    committed(await ledger.commit({ release: { tasks: ["T-1"], at } }));
    expect(await idsOn("gpu", "db")).toEqual([3]);
    expect(await idsOn()).toEqual([]);
    expect((await ledger.locksNear(["db"])).map(({ task }) => task)).toEqual(["T-3"]);
  });

  it("move the fence by one per commit that takes locks, and only then", async () => {
    await using opened = await open();
    const { ledger } = opened;
    expect(await ledger.fence()).toBe(0);
    committed(
      await ledger.commit({ take: ["a", "b", "c"].map((one) => newLock("T-1", one)), expect: { fence: 0 } }),
    );
    expect(await ledger.fence()).toBe(1);
    committed(await ledger.commit({ release: { tasks: ["T-1"], at }, take: [], expect: { fence: 1 } }));
    expect(await ledger.fence()).toBe(1);
    expect(await ledger.commit({ take: [newLock("T-1", "a")], expect: { fence: 0 } })).toEqual({
      conflict: "fence",
    });
  });

  it("cannot be taken without the expected fence", async () => {
    await using opened = await open();
    await expect(opened.ledger.commit({ take: [newLock("T-1", "a")] })).rejects.toThrow("INV-1");
    expect(await opened.ledger.locks()).toEqual([]);
  });
}

function events(open: Open): void {
  /** Independent of the product's function, so that both would have to be wrong. */
  const hashOf = (previous: string, event: LedgerEvent) => {
    const sorted = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sorted)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .sort()
                .map(([name, one]) => [name, sorted(one)]),
            )
          : value;
    const { hash, ...rest } = event;
    return createHash("sha256")
      .update(`${previous}\n${JSON.stringify(sorted(rest))}`)
      .digest("hex");
  };

  it("are a chain of hashes without gaps", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const data = { b: [1, { z: null, a: "é\n" }], a: true, skipped: undefined };
    for (let round = 0; round < 5; round += 1)
      committed(
        await ledger.commit({ events: [newEvent("T-1", { data }), newEvent(null, { data: undefined })] }),
      );
    let previous = "0".repeat(64);
    const all = await ledger.events();
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const event of all) {
      expect(event.hash).toBe(hashOf(previous, event));
      previous = event.hash;
    }
    expect(all[0]).toMatchObject({ ...newEvent("T-1"), data: { b: [1, { z: null, a: "é\n" }], a: true } });
    expect(all[1]?.data).toBeNull();
    expect(await ledger.verify()).toEqual({ events: 10, problems: [] });
  });

  it("are filtered by task and type, in both directions, page by page", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const all = Array.from({ length: 60 }, (_, n) =>
      newEvent(["T-1", "T-2", null][n % 3] as string | null, { type: `type-${n % 4}`, data: n }),
    );
    committed(await ledger.commit({ events: all }));
    const filters = fc.record(
      {
        task: fc.constantFrom("T-1", "T-2", "T-3"),
        type: fc.constantFrom("type-0", "type-1", "type-9"),
        after: fc.integer({ min: 0, max: 61 }),
        before: fc.integer({ min: 0, max: 61 }),
        limit: fc.integer({ min: 1, max: 20 }),
        newestFirst: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const numbered = all.map((event, index) => ({ ...event, seq: index + 1 }));
        if (filter.newestFirst) numbered.reverse();
        const expected = numbered
          .filter(({ task }) => filter.task === undefined || task === filter.task)
          .filter(({ type }) => filter.type === undefined || type === filter.type)
          .filter(({ seq }) => seq > (filter.after ?? 0) && seq < (filter.before ?? 100))
          .slice(0, filter.limit);
        expect((await ledger.events(filter)).map(({ seq }) => seq)).toEqual(expected.map(({ seq }) => seq));
      }),
      { numRuns: 150 },
    );
  });
}

function evidence(open: Open): void {
  it("is stored under its key, the newest replaces older ones, and needs no event", async () => {
    await using opened = await open();
    const { ledger } = opened;
    expect(await ledger.evidence("k-1")).toBeUndefined();
    const odd = newRun("k-1", { tail: "é \u0000 \ud800 😀", seconds: 0.001 });
    expect(await ledger.commit({ evidence: [odd, newRun("k-2")] })).toEqual({ ok: true, seq: 0 });
    expect(await ledger.evidence("k-1")).toEqual(odd);
    committed(await ledger.commit({ evidence: [newRun("k-1", { tail: "again" })] }));
    expect((await ledger.evidence("k-1"))?.tail).toBe("again");
    expect(await ledger.evidence("k-2")).toEqual(newRun("k-2"));
    expect(await ledger.evidence("k")).toBeUndefined();
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it.each([1, null])(
    "of a failure (exit %s) remains after later passes, and the newest failure replaces it",
    async (exit) => {
      await using opened = await open();
      const { ledger } = opened;
      const failed = newRun("k-1", { exit, tail: "wrong", log: "/a.log", excerpt: "wrong" });
      committed(await ledger.commit({ evidence: [newRun("k-1")] }));
      committed(await ledger.commit({ evidence: [failed] }));
      committed(await ledger.commit({ evidence: [newRun("k-1"), newRun("k-2")] }));
      expect(await ledger.evidence("k-1")).toEqual(failed);
      expect(await ledger.evidence("k-2")).toEqual(newRun("k-2"));
      const again = { ...failed, tail: "wrong again" };
      committed(await ledger.commit({ evidence: [again] }));
      expect(await ledger.evidence("k-1")).toEqual(again);
      expect((await ledger.verify()).problems).toEqual([]);
    },
  );
}

function outOfReach(open: Open, tampering: readonly string[]): void {
  it.each(tampering)("cannot be changed by %s", async (sql) => {
    await using opened = await open();
    const { ledger, raw } = opened;
    const three = [newEvent("T-1"), newEvent("T-1"), newEvent("T-1")];
    committed(await ledger.commit({ events: three, take: [newLock("T-1", "src")], expect: { fence: 0 } }));
    const before = await dumpOf(ledger);
    await expect((async () => raw?.(sql))()).rejects.toThrow(/an event|a lock/);
    expect(await dumpOf(ledger)).toEqual(before);
  });
}

function others(open: Open): void {
  it("a request's answer is stored, and a second change with its key is refused", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const answered = { operation: "start", digest: "abc", answer: { epoch: 1, list: [null] } };
    expect(await ledger.answered("r-1")).toBeUndefined();
    committed(await ledger.commit({ ...creating(newTask("T-1")), request: { key: "r-1", ...answered } }));
    expect(await ledger.answered("r-1")).toEqual(answered);
    const again = { ...creating(newTask("T-2")), request: { key: "r-1", ...answered, answer: 2 } };
    expect(await ledger.commit(again)).toEqual({ conflict: "request" });
    expect(await ledger.answered("r-1")).toEqual(answered);
    expect(await ledger.task("T-2")).toBeUndefined();
  });

  it("intents are open until they are done, with numbers that are never reused", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const intent = (task: string) => ({ type: "move-base" as const, task, epoch: 3, data: { pid: 1 } });
    committed(await ledger.commit({ intents: [intent("T-1"), intent("T-2")] }));
    expect(await ledger.intents()).toEqual([
      { id: 1, ...intent("T-1") },
      { id: 2, ...intent("T-2") },
    ]);
    committed(await ledger.commit({ intentsDone: [2], intents: [intent("T-3")] }));
    expect((await ledger.intents()).map(({ id }) => id)).toEqual([1, 3]);
    committed(await ledger.commit({ intentsDone: [1, 3] }));
    expect(await ledger.intents()).toEqual([]);
    committed(await ledger.commit({ intents: [intent("T-1")] }));
    expect((await ledger.intents()).map(({ id }) => id)).toEqual([4]);
  });

  it("settings are overwritten", async () => {
    await using opened = await open();
    const { ledger } = opened;
    expect(await ledger.setting("breaker")).toBeUndefined();
    for (const value of [{ open: true }, [1], null, "text"]) {
      committed(await ledger.commit({ settings: { breaker: value } }));
      expect(await ledger.setting("breaker")).toEqual(value);
    }
  });

  it("decisions are listed by state", async () => {
    await using opened = await open();
    const { ledger } = opened;
    const all = [newDecision("D-2"), newDecision("D-1"), newDecision("D-3", { state: "cancelled" })];
    committed(await ledger.commit({ decisions: all }));
    const idsOf = async (filter?: Parameters<Ledger["decisions"]>[0]) =>
      (await ledger.decisions(filter)).map(({ id }) => id);
    expect(await idsOf()).toEqual(["D-1", "D-2", "D-3"]);
    committed(
      await ledger.commit({
        decisions: [newDecision("D-1", { version: 1, state: "answered", answer: "yes" })],
      }),
    );
    expect(await idsOf({ state: "pending" })).toEqual(["D-2"]);
    expect(await idsOf({ state: "answered" })).toEqual(["D-1"]);
    expect(await idsOf({})).toEqual(["D-1", "D-2", "D-3"]);
  });

  it("the secret is 32 bytes that never change, and differs between ledgers", async () => {
    await using one = await open();
    await using other = await open();
    expect(one.ledger.secret()).toMatch(/^[0-9a-f]{64}$/);
    expect(one.ledger.secret()).toBe(one.ledger.secret());
    expect(one.ledger.secret()).not.toBe(other.ledger.secret());
  });
}
