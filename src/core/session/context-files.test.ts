import { describe, expect, it } from "vitest";
import { roleNames } from "../names/roles.ts";
import { contextFilesFor } from "./context-files.ts";

const all = new Set([
  "spec.md",
  "acceptance.json",
  "architecture.md",
  "adr/001-x.md",
  "tasks.yaml",
  "status.json",
  "report.md",
  "design-specs/login.md",
  "design-specs/a.md",
  "design-specs/main.md",
  "research/rounding.md",
]);
const short = (files: readonly string[]) =>
  files.map((file) => file.replace(/^\.agents-work\/2026-01-31_shop\//, ""));
const filesFor = (role: string, present: Iterable<string>) => {
  const { files, missing } = contextFilesFor(role, "2026-01-31_shop", new Set(present));
  return { files: short(files), missing: short(missing) };
};
const specs = ["design-specs/a.md", "design-specs/login.md", "design-specs/main.md"];

describe("the files that a role reads first", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["SpecAgent", [], ["spec.md", "acceptance.json", "research/rounding.md"]],
    [
      "Architect",
      ["spec.md", "acceptance.json"],
      ["research/rounding.md", "architecture.md", "adr/001-x.md"],
    ],
    ["Designer", ["spec.md", "architecture.md", "acceptance.json"], specs],
    ["Researcher", ["spec.md"], ["acceptance.json", "architecture.md", ...specs, "research/rounding.md"]],
    ["Planner", ["spec.md", "acceptance.json", "architecture.md"], [...specs, "research/rounding.md"]],
    ["Coder", ["spec.md", "tasks.yaml"], ["architecture.md", ...specs]],
    ["Reviewer", ["spec.md", "tasks.yaml"], ["architecture.md", ...specs]],
    ["QA", ["spec.md", "acceptance.json", "tasks.yaml"], specs],
    ["Security", ["tasks.yaml"], ["architecture.md"]],
    ["Integrator", ["tasks.yaml", "acceptance.json"], []],
    ["Docs", ["spec.md", "tasks.yaml", "acceptance.json"], ["architecture.md"]],
    ["Orchestrator", [], []],
    ["Translator", ["spec.md", "tasks.yaml"], ["architecture.md", ...specs]],
    ["constructor", ["spec.md", "tasks.yaml"], ["architecture.md", ...specs]],
  ])("are for %s: %j, and %j if they exist", (role, must, may) => {
    expect(filesFor(role, all)).toEqual({ files: [...must, ...may], missing: [] });
    expect(filesFor(role, must)).toEqual({ files: must, missing: [] });
    expect(filesFor(role, [])).toEqual({ files: [], missing: must });
  });

  it("have the session's name in their paths, and existing files are not missing", () => {
    for (const role of roleNames)
      for (const file of contextFilesFor(role, "2026-01-31_shop", all).files)
        expect(file).toMatch(/^\.agents-work\/2026-01-31_shop\/[a-z]/);
    expect(contextFilesFor("Security", "s", new Set()).missing).toEqual([".agents-work/s/tasks.yaml"]);
  });
});
