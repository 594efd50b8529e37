import { expect, it } from "vitest";
import { setClaimedApart } from "./claimed-tasks.ts";

const task = (id: string, status: string, ...depends_on: string[]) => ({ id, status, depends_on });
const plan = [task("A", "completed"), task("B", "not-started", "A"), task("C", "not-started", "A", "B")];

it("what a plan calls completed is left out, and nothing waits for it", () => {
  expect(setClaimedApart(plan, () => false)).toEqual({
    tasks: [task("B", "not-started"), task("C", "not-started", "B")],
    claimed: ["A"],
  });
});

it("what the ledger knows is the ledger's, whatever the plan calls it", () => {
  expect(setClaimedApart(plan, (id) => id === "A")).toEqual({ tasks: plan, claimed: [] });
});
