import { describe, expect, it } from "vitest";
import { roleFiles } from "./role-files.ts";
import type { Purpose } from "./session.ts";

const purposes: readonly [Purpose, string, readonly string[]][] = [
  ["spec", "SpecAgent", ["spec.md", "acceptance.json"]],
  ["lean-setup", "SpecAgent", ["spec.md", "acceptance.json", "tasks.yaml"]],
  ["research", "Researcher", ["research/**"]],
  ["architecture", "Architect", ["architecture.md", "adr/**"]],
  ["design-spec", "Designer", ["design-specs/**"]],
  ["correction", "SpecAgent", ["spec.md", "acceptance.json"]],
  ["correction", "Architect", ["architecture.md", "adr/**"]],
  ["correction", "Designer", ["design-specs/**"]],
  ["correction", "Coder", []],
  ["plan", "Planner", ["tasks.yaml"]],
  ["final-review", "Reviewer", []],
  ["final-tests", "QA", []],
  ["final-security", "Security", []],
  ["integration", "Integrator", []],
  ["release", "Docs", ["report.md"]],
];

describe("the lock of a role", () => {
  it.each(purposes)("for %s by %s is %j", (purpose, role, files) => {
    expect(roleFiles(purpose, "2026-01-31_shop", role)).toEqual(
      files.map((file) => `.agents-work/2026-01-31_shop/${file}`),
    );
  });

  it("is never status.json, and never code", () => {
    for (const [purpose, role] of purposes)
      for (const file of roleFiles(purpose, "s", role)) {
        expect(file).toMatch(/^\.agents-work\/s\/./);
        expect(file).not.toContain("status.json");
      }
  });
});
