import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { taskStates } from "../tasks/states.ts";
import { idsOf, planned } from "./plan.test-support.ts";
import { Standing } from "./standing.ts";

const plan = fc
  .array(fc.uniqueArray(fc.nat(20), { maxLength: 3 }), { minLength: 1, maxLength: 15 })
  .map((all) =>
    all.map((needs, index) =>
      planned(`t${index}`, [`${index}`], {
        dependsOn: needs.filter((other) => other < index).map((other) => `t${other}`),
      }),
    ),
  );
const steps = fc.array(
  fc.record({
    at: fc.nat(14),
    state: fc.constantFrom(...taskStates),
    revertedBy: fc.constantFrom(null, null, "abc"),
  }),
  { maxLength: 40 },
);

describe("the states of a plan's tasks", () => {
  it("are the same after every step as if computed from scratch", () => {
    fc.assert(
      fc.property(plan, steps, (tasks, taken) => {
        const followed = new Standing(tasks);
        const states = new Map<string, (typeof taken)[number]>();
        for (const step of taken) {
          states.set(`t${step.at}`, step);
          followed.put(`t${step.at}`, step);
          const computed = new Standing(tasks);
          for (const [id, stand] of states) computed.put(id, stand);
          expect(idsOf([...followed.ready()])).toEqual(idsOf([...computed.ready()]));
          expect(idsOf(followed.held())).toEqual(idsOf(computed.held()));
        }
        const isIn = (id: string) =>
          states.get(id)?.state === "MERGED" && states.get(id)?.revertedBy === null;
        const ready = tasks.filter(
          ({ id, dependsOn }) => followed.stateOf(id) === "PENDING" && dependsOn.every(isIn),
        );
        expect(idsOf([...followed.ready()])).toEqual(idsOf(ready));
      }),
    );
  });

  it("ignore tasks that are not in the plan", () => {
    const followed = new Standing([planned("a", ["a"])]);
    followed.put("b", { state: "REVIEW", revertedBy: null });
    expect(followed.held()).toEqual([]);
  });
});
