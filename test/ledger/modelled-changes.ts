import fc from "fast-check";
import { expect } from "vitest";
import type { Task } from "../../src/core/tasks/task.ts";
import type { Answered, Attempt, Change, Intent, Ledger, Lock, NewEvent } from "../../src/ledger/ledger.ts";
import { at, newAttempt, newEvent, newLock, newTask, stateEvent } from "./sample-documents.ts";

/** A ledger that is too simple to be wrong. */
class NaiveLedger {
  tasks = new Map<string, Task>();
  attempts = new Map<string, Attempt>();
  locks: Lock[] = [];
  intents: (Intent & { done: boolean })[] = [];
  requests = new Map<string, Answered>();
  events: NewEvent[] = [];
  fence = 0;
  breaker: unknown = undefined;

  commit(change: Change): "ok" | "conflict" | "broken" {
    const {
      tasks = [],
      attempts = [],
      events = [],
      take = [],
      release,
      request,
      expect: expected = {},
    } = change;
    if (request !== undefined && this.requests.has(request.key)) return "conflict";
    if (expected.fence !== undefined && expected.fence !== this.fence) return "conflict";
    for (const [key, version] of Object.entries(expected.tasks ?? {}))
      if ((this.tasks.get(key)?.version ?? 0) !== version) return "conflict";
    if (change.intentsDone?.some((id) => this.intents[id - 1]?.done !== false)) return "conflict";
    if (tasks.some((one) => (this.tasks.get(one.key)?.version ?? 0) !== one.version)) return "conflict";
    if (attempts.some((one) => (this.attempts.get(one.task)?.version ?? 0) !== one.version))
      return "conflict";
    if (!tasks.every((task) => this.#isTold(task, events))) return "broken";

    const released = new Set(release?.tasks);
    this.locks = this.locks.map((lock) =>
      lock.active && released.has(lock.task)
        ? { ...lock, active: false, releasedAt: release?.at ?? null }
        : lock,
    );
    for (const lock of take)
      this.locks.push({ id: this.locks.length + 1, ...lock, active: true, releasedAt: null });
    if (take.length > 0) this.fence += 1;
    for (const task of tasks) this.tasks.set(task.key, { ...task, version: task.version + 1 });
    for (const one of attempts) this.attempts.set(one.task, { ...one, version: one.version + 1 });
    for (const id of change.intentsDone ?? []) (this.intents[id - 1] as { done: boolean }).done = true;
    for (const one of change.intents ?? [])
      this.intents.push({ id: this.intents.length + 1, ...one, done: false });
    if (change.settings !== undefined) this.breaker = change.settings.breaker;
    if (request !== undefined) {
      const { key, ...answered } = request;
      this.requests.set(key, answered);
    }
    this.events.push(...events);
    return "ok";
  }

  #isTold({ key, state }: Task, events: readonly NewEvent[]): boolean {
    const steps = events.filter((event) => event.task === key && event.to !== null);
    const states = [this.tasks.get(key)?.state ?? null, ...steps.map(({ to }) => to)];
    return steps.every(({ from }, index) => from === states[index]) && states.at(-1) === state;
  }
}

const keys = ["T-1", "T-2", "T-3"];
const states = ["PENDING", "IN_PROGRESS", "BLOCKED"] as const;

const rarely = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

/** The parts of a change; numbers are relative to the current state of the ledger. */
const recipe = fc.record({
  tasks: fc.uniqueArray(
    fc.record({
      key: fc.constantFrom(...keys),
      state: fc.constantFrom(...states),
      dependsOn: fc.subarray(keys),
      skew: rarely(fc.constantFrom(-1, 1)),
      unrecorded: rarely(fc.constant(true)),
    }),
    { selector: ({ key }) => key, maxLength: 2 },
  ),
  attempt: rarely(fc.record({ task: fc.constantFrom(...keys), skew: fc.constantFrom(0, 0, 0, 0, 1) })),
  take: fc.array(fc.tuple(fc.constantFrom(...keys), fc.constantFrom("", "a", "a/b", "a/b/c", "d")), {
    maxLength: 2,
  }),
  release: fc.subarray(keys),
  fenceSkew: rarely(fc.constant(-1)),
  relies: rarely(fc.record({ key: fc.constantFrom(...keys), skew: fc.constantFrom(0, 0, 0, 1) })),
  request: rarely(fc.constantFrom("r-1", "r-2", "r-3")),
  intents: fc.integer({ min: 0, max: 1 }),
  done: rarely(fc.integer({ min: 1, max: 4 })),
  breaker: fc.option(fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)))),
  note: fc.boolean(),
});

type Recipe = typeof recipe extends fc.Arbitrary<infer Value> ? Value : never;

function changeFrom(asked: Recipe, model: NaiveLedger): Change {
  const stored = (key: string) => model.tasks.get(key) ?? newTask(key);
  const recorded = asked.tasks.filter(({ unrecorded }) => unrecorded === null);
  const { request, relies } = asked;
  return {
    tasks: asked.tasks.map(({ key, state, dependsOn, skew }) => ({
      ...stored(key),
      state,
      dependsOn,
      version: stored(key).version + (skew ?? 0),
    })),
    attempts:
      asked.attempt === null
        ? []
        : [
            newAttempt(asked.attempt.task, {
              version: (model.attempts.get(asked.attempt.task)?.version ?? 0) + asked.attempt.skew,
            }),
          ],
    events: [
      ...recorded.map(({ key, state }) => stateEvent(key, model.tasks.get(key)?.state ?? null, state)),
      ...(asked.note ? [newEvent(null)] : []),
    ],
    take: asked.take.map(([task, path]) => newLock(task, path)),
    release: { tasks: asked.release, at },
    expect: {
      fence: model.fence + (asked.fenceSkew ?? 0),
      tasks:
        relies === null ? {} : { [relies.key]: (model.tasks.get(relies.key)?.version ?? 0) + relies.skew },
    },
    intents: asked.intents === 0 ? [] : [{ type: "move-base", task: "T-1", epoch: 1, data: null }],
    intentsDone: asked.done === null ? [] : [asked.done],
    ...(asked.breaker === null ? {} : { settings: { breaker: asked.breaker } }),
    ...(request === null
      ? {}
      : { request: { key: request, operation: "o", digest: "d", answer: [request] } }),
  };
}

/** Any list of changes has the same effect on the ledger and on the model; a repeated request has none. */
export async function modelledChanges(
  open: () => Promise<AsyncDisposable & { readonly ledger: Ledger }>,
  runs: number,
): Promise<void> {
  const seen = { ok: 0, conflict: 0, broken: 0 };
  const recipes = fc.array(recipe, { minLength: 5, maxLength: 25 });
  const property = fc.asyncProperty(recipes, async (list) => {
    await using opened = await open();
    const { ledger } = opened;
    const model = new NaiveLedger();
    for (const one of list) {
      const change = changeFrom(one, model);
      const outcome = model.commit(change);
      seen[outcome] += 1;
      expect(await outcomeOf(ledger, change)).toBe(outcome);
      if (outcome === "ok" && change.request !== undefined)
        expect(await ledger.commit(change)).toEqual({ conflict: "request" });
      await expectSame(ledger, model);
    }
    expect((await ledger.verify()).problems).toEqual([]);
  });
  await fc.assert(property, { numRuns: runs });
  expect(Math.min(seen.ok, seen.conflict, seen.broken)).toBeGreaterThan(runs / 2);
}

async function outcomeOf(ledger: Ledger, change: Change): Promise<"ok" | "conflict" | "broken"> {
  try {
    return "ok" in (await ledger.commit(change)) ? "ok" : "conflict";
  } catch (error) {
    if ((error as Error).name !== "InvariantBroken") throw error;
    return "broken";
  }
}

async function expectSame(ledger: Ledger, model: NaiveLedger): Promise<void> {
  const tasks = await ledger.tasks();
  expect(tasks).toEqual([...model.tasks.values()].sort((a, b) => (a.key < b.key ? -1 : 1)));
  expect(await ledger.locks()).toEqual(model.locks);
  expect(await ledger.fence()).toBe(model.fence);
  expect(await ledger.setting("breaker")).toEqual(model.breaker);
  const open = model.intents.filter(({ done }) => !done).map(({ done, ...intent }) => intent);
  expect(await ledger.intents()).toEqual(open);
  for (const key of keys) {
    expect(await ledger.attempt(key)).toEqual(model.attempts.get(key));
    const dependents = tasks.filter(({ dependsOn }) => dependsOn.includes(key));
    expect(await ledger.dependents(key)).toEqual(dependents);
  }
  for (const key of ["r-1", "r-2", "r-3"])
    expect(await ledger.answered(key)).toEqual(model.requests.get(key));
  const events = (await ledger.events()).map(({ seq, hash, ...event }) => event);
  expect(events).toEqual(model.events);
}
