import { expect, it } from "vitest";
import { splitClaimed } from "./claimed-tasks.ts";

const task = (id: string, status: string, ...depends_on: string[]) => ({ id, status, depends_on });
const plan = [task("A", "completed"), task("B", "not-started", "A"), task("C", "not-started", "A", "B")];

it("a task that the plan calls completed is left out, and no task waits for it", () => {
  expect(splitClaimed(plan, () => false)).toEqual({
    tasks: [task("B", "not-started"), task("C", "not-started", "B")],
    claimed: ["A"],
  });
});

it("a task that the ledger knows stays, with any status in the plan", () => {
  expect(splitClaimed(plan, (id) => id === "A")).toEqual({ tasks: plan, claimed: [] });
});
