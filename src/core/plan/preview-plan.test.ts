import { describe, expect, it } from "vitest";
import { planned, usualLimits } from "./plan.test-support.ts";
import { previewPlan } from "./preview-plan.ts";

const preview = (...tasks: Parameters<typeof previewPlan>[0][number][]) => previewPlan(tasks, usualLimits);

describe("the preview of a plan", () => {
  it("has the batches, and which task waits for which lock", () => {
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

  it("shows no lock if a task depends on the other anyway", () => {
    expect(preview(planned("A", ["src"]), planned("B", ["src"], { dependsOn: ["A"] })).overlaps).toEqual([]);
  });

  it("lets as many tasks use a resource as allowed", () => {
    const users = ["A", "B", "C"].map((id) => planned(id, [id], { uses: ["database"] }));
    const limits = { ...usualLimits, resources: { database: 2 } };
    expect(previewPlan(users, limits)).toEqual({
      batches: [["A", "B"], ["C"]],
      overlaps: [{ task: "C", waits_for: "A", lock: "database" }],
    });
  });

  it("treats dependencies outside the list as merged", () => {
    expect(preview(planned("B", ["b"], { dependsOn: ["A"] })).batches).toEqual([["B"]]);
  });
});
