import { describe, expect, it } from "vitest";
import { planned, usualLimits } from "./plan.test-support.ts";
import { previewPlan } from "./preview-plan.ts";

const preview = (...tasks: Parameters<typeof previewPlan>[0][number][]) => previewPlan(tasks, usualLimits);

describe("a look at a plan before it runs", () => {
  it("has the batches, and who waits for whose lock", () => {
    const { batches, overlaps } = preview(
      planned("A", ["src"]),
      planned("B", ["src/b.ts"]),
      planned("C", ["docs"], { dependsOn: ["A"] }),
      planned("D", ["test"], { uses: ["database"] }),
      planned("E", ["e"], { uses: ["database"] }),
    );
    expect(batches).toEqual([
      ["A", "D"],
      ["B", "C", "E"],
    ]);
    expect(overlaps).toEqual([
      { task: "B", waits_for: "A", lock: "src" },
      { task: "E", waits_for: "D", lock: "database" },
    ]);
  });

  it("tells of no lock where a task depends on the other anyway", () => {
    expect(preview(planned("A", ["src"]), planned("B", ["src"], { dependsOn: ["A"] })).overlaps).toEqual([]);
  });

  it("lets as many use a resource as may", () => {
    const users = ["A", "B", "C"].map((id) => planned(id, [id], { uses: ["database"] }));
    const limits = { ...usualLimits, resources: { database: 2 } };
    expect(previewPlan(users, limits)).toEqual({
      batches: [["A", "B"], ["C"]],
      overlaps: [{ task: "C", waits_for: "A", lock: "database" }],
    });
  });

  it("takes what is not among the tasks for merged", () => {
    expect(preview(planned("B", ["b"], { dependsOn: ["A"] })).batches).toEqual([["B"]]);
  });
});
