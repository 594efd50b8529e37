import type { KnownAgents } from "../../src/core/plan/agents-for-task.ts";
import { faultLine } from "../../src/workspace/config/config-fault.ts";
import { loadPlan } from "../../src/workspace/plan/load-plan.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const someAgents: KnownAgents = {
  agents: { coder: { role: "Coder" }, tests: { role: "QA" } },
  taskTypes: {
    product: { agents: { implementer: ["coder"] } },
    docs: { agents: { implementer: null } },
  },
};

/** The faults of a plan, as lines. */
export function planLinesAt(file: string, root: string, known: KnownAgents = someAgents): string[] {
  const loaded = loadPlan(file, root, known);
  return "faults" in loaded ? loaded.faults.map(faultLine) : [];
}

/** The faults of a plan with this text, without the file's name. */
export function planLinesOf(text: string, known: KnownAgents = someAgents): string[] {
  using folder = temporaryFolder({ "tasks.yaml": text });
  return planLinesAt("tasks.yaml", folder.path, known).map((line) => line.replace("tasks.yaml:", ""));
}

/** A task with the given fields and defaults for the rest. */
export const taskText = (id: string, more = "") =>
  `  - id: ${id}\n    goal: do it\n    acceptance_checks: ["cmd: true"]\n${more}`;
