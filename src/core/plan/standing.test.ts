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
        const stands = new Map<string, (typeof taken)[number]>();
        for (const step of taken) {
          stands.set(`t${step.at}`, step);
          followed.put(`t${step.at}`, step);
          const anew = new Standing(tasks);
          for (const [id, stand] of stands) anew.put(id, stand);
          expect(idsOf([...followed.ready()])).toEqual(idsOf([...anew.ready()]));
          expect(idsOf(followed.held())).toEqual(idsOf(anew.held()));
        }
        const isIn = (id: string) =>
          stands.get(id)?.state === "MERGED" && stands.get(id)?.revertedBy === null;
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
