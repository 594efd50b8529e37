import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TaskState } from "../tasks/states.ts";
import { nextTasks } from "./next-tasks.ts";
import { idsOf, planned, standing, standingOf, usualLimits } from "./plan.test-support.ts";
import { planBatches } from "./plan-batches.ts";
import { overlapOf, type PlanLimits, type PlannedTask, type TaskNow } from "./planned-task.ts";

const disjoint = (states: readonly TaskState[]) =>
  states.map((state, index) => standing(planned(`t${index}`, [`src/${index}`]), state));
const times = (count: number, state: TaskState) => Array.from({ length: count }, () => state);
const modes = ["batch", "continuous"] as const;

function starting(tasks: readonly TaskNow[], mode: (typeof modes)[number], limits = usualLimits) {
  return idsOf(nextTasks(standingOf(tasks), { mode, limits }));
}

describe("the next tasks", () => {
  it.each(modes)("are at most four (%s)", (mode) => {
    expect(starting(disjoint(times(9, "PENDING")), mode)).toEqual(["t0", "t1", "t2", "t3"]);
  });

  it("wait for the whole previous batch, including its review", () => {
    for (const state of ["IN_PROGRESS", "REVIEW", "REJECTED"] as const)
      expect(starting(disjoint(["MERGED", state, "PENDING"]), "batch")).toEqual(
        state === "REJECTED" ? ["t1"] : [],
      );
    expect(starting(disjoint(["MERGED", "FAILED", "BLOCKED", "ESCALATED", "PENDING"]), "batch")).toEqual([
      "t4",
    ]);
  });

  it("do not wait for a late task of a closed batch, which keeps its locks and its slot", () => {
    const tasks = [
      standing(planned("late", ["src"]), "IN_PROGRESS"),
      standing(planned("same", ["src/a"]), "PENDING"),
      ...disjoint(times(5, "PENDING")).map((task) => ({ ...task, scope: planned(task.id, [task.id]).scope })),
    ];
    const late = new Set(["late"]);
    const next = nextTasks(standingOf(tasks), { mode: "batch", limits: usualLimits, late });
    expect(idsOf(next)).toEqual(["t0", "t1", "t2"]);
  });

  it("fill free slots one task at a time in continuous mode", () => {
    const tasks = disjoint([...times(3, "IN_PROGRESS"), "REVIEW", ...times(3, "PENDING")]);
    expect(starting(tasks, "continuous")).toEqual(["t4"]);
  });

  it.each<[string, number, number, number]>([
    ["four in progress", 4, 0, 0],
    ["four in review leave room for four in progress", 0, 4, 4],
    ["eight active", 4, 4, 0],
    ["seven active", 3, 4, 1],
    ["five in review", 0, 5, 0],
  ])("keep S1's numbers: %s", (_, running, inReview, room) => {
    const tasks = disjoint([
      ...times(running, "IN_PROGRESS"),
      ...times(inReview, "REVIEW"),
      ...times(6, "PENDING"),
    ]);
    expect(starting(tasks, "continuous")).toHaveLength(room);
  });

  it.each<[TaskState, string[]]>([
    ["IN_PROGRESS", ["c"]],
    ["REVIEW", ["c"]],
    ["REJECTED", ["a", "c"]],
    ["MERGED", ["b", "c"]],
    ["FAILED", ["b", "c"]],
  ])("do not use the locks of a task that is %s", (state, ids) => {
    const tasks = [
      standing(planned("a", ["src"], { uses: ["db"] }), state),
      standing(planned("b", ["src/b"]), "PENDING"),
      standing(planned("c", ["c"]), "PENDING"),
    ];
    expect(starting(tasks, "continuous")).toEqual(ids);
  });

  it("do not use a resource that is in use", () => {
    const tasks = [
      standing(planned("a", ["a"], { uses: ["db"] }), "REVIEW"),
      standing(planned("b", ["b"], { uses: ["db"] }), "PENDING"),
    ];
    expect(starting(tasks, "continuous")).toEqual([]);
    expect(starting(tasks, "continuous", { ...usualLimits, resources: { db: 2 } })).toEqual(["b"]);
  });

  it("do not start after a dependency that was not merged or was reverted", () => {
    const after = standing(planned("b", ["b"], { dependsOn: ["a"] }), "PENDING");
    const a = planned("a", ["a"]);
    expect(starting([standing(a, "FAILED"), after], "continuous")).toEqual([]);
    expect(starting([standing(a, "MERGED"), after], "continuous")).toEqual(["b"]);
    expect(starting([{ ...standing(a, "MERGED"), revertedBy: "abc" }, after], "continuous")).toEqual([]);
  });
});

const paths = ["src", "src/a", "src/b", "src/**/*.ts", "docs", "docs/*", "test", ".", "lib/x"];

const plans = fc
  .array(
    fc.record({
      scope: fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 2 }),
      uses: fc.uniqueArray(fc.constantFrom("db", "gpu"), { maxLength: 2 }),
      dependsOn: fc.uniqueArray(fc.nat(30), { maxLength: 2 }),
    }),
    { maxLength: 20 },
  )
  .map((tasks) =>
    tasks.map(({ scope, uses, dependsOn }, index) =>
      planned(`t${index}`, scope, {
        uses,
        dependsOn: dependsOn.filter((other) => other < index).map((other) => `t${other}`),
      }),
    ),
  );

const someLimits = fc.record({
  maxParallel: fc.integer({ min: 1, max: 5 }),
  maxReview: fc.integer({ min: 1, max: 4 }),
  maxActive: fc.integer({ min: 1, max: 8 }),
  resources: fc.constantFrom<Record<string, number>>({}, { db: 2 }),
});

const live: readonly TaskState[] = ["IN_PROGRESS", "REVIEW", "REJECTED"];

/** The possible effects of one step of a run on a task. */
function stepped(state: TaskState, chance: number): TaskState {
  if (state === "IN_PROGRESS") return "REVIEW";
  return chance % 4 === 0 ? "REJECTED" : "MERGED";
}

function expectApart(tasks: readonly TaskNow[], { resources }: PlanLimits): void {
  const held = tasks.filter(({ state }) => live.includes(state));
  for (const [index, one] of held.entries())
    for (const other of held.slice(index + 1)) expect(overlapOf(one, other)).toBeUndefined();
  for (const resource of ["db", "gpu"])
    expect(held.filter(({ uses }) => uses.includes(resource)).length).toBeLessThanOrEqual(
      resources[resource] ?? 1,
    );
}

/** Runs a plan with steps in any order and returns the number of merged tasks when no task can change any more. */
function runPlan(
  plan: readonly PlannedTask[],
  mode: (typeof modes)[number],
  limits: PlanLimits,
  chances: number[],
) {
  let tasks = plan.map((task) => standing(task, "PENDING"));
  const move = (ids: readonly string[], to: (state: TaskState) => TaskState) => {
    tasks = tasks.map((task) => (ids.includes(task.id) ? { ...task, state: to(task.state) } : task));
  };
  const count = (wanted: TaskState) => tasks.filter(({ state }) => state === wanted).length;
  for (let step = 0; step < 1000; step += 1) {
    const next = nextTasks(standingOf(tasks), { mode, limits });
    if (mode === "batch" && next.some(({ state }) => state === "PENDING"))
      expect(tasks.filter(({ state }) => live.includes(state))).toEqual([]);
    move(idsOf(next), () => "IN_PROGRESS");
    expectApart(tasks, limits);
    expect(count("IN_PROGRESS")).toBeLessThanOrEqual(limits.maxParallel);
    expect(count("IN_PROGRESS") + count("REVIEW")).toBeLessThanOrEqual(limits.maxActive);
    const active = tasks.filter(({ state }) => state === "IN_PROGRESS" || state === "REVIEW");
    if (active.length === 0) break;
    const chance = chances[step % chances.length] ?? 1;
    // No task is rejected forever.
    const luck = step < 200 ? chance : 1;
    move([active[chance % active.length]?.id ?? ""], (state) => stepped(state, luck));
  }
  return count("MERGED");
}

describe("a run of any plan", () => {
  it.each(modes)("keeps tasks apart and within the limits, and finishes (%s)", (mode) => {
    fc.assert(
      fc.property(
        plans,
        someLimits,
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 }),
        (plan, limits, chances) => {
          expect(runPlan(plan, mode, limits, chances)).toBe(plan.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("has the planned batches if everything succeeds", () => {
    fc.assert(
      fc.property(plans, someLimits, (plan, limits) => {
        const batches: string[][] = [];
        let tasks = plan.map((task) => standing(task, "PENDING"));
        for (;;) {
          const batch = idsOf(nextTasks(standingOf(tasks), { mode: "batch", limits }));
          if (batch.length === 0) break;
          batches.push(batch);
          tasks = tasks.map((task) => (batch.includes(task.id) ? { ...task, state: "MERGED" } : task));
        }
        expect(planBatches(plan, limits).map(idsOf)).toEqual(batches);
      }),
    );
  });
});
