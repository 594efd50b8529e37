import { sessionPath } from "../names/session-paths.ts";
import type { Purpose } from "./session.ts";

const intake = ["spec.md", "acceptance.json"];
const architecture = ["architecture.md", "adr/**"];
const designSpecs = ["design-specs/**"];

const written: Readonly<Record<Exclude<Purpose, "correction">, readonly string[]>> = {
  spec: intake,
  "lean-setup": [...intake, "tasks.yaml"],
  research: ["research/**"],
  architecture,
  "design-spec": designSpecs,
  plan: ["tasks.yaml"],
  "final-review": [],
  "final-tests": [],
  "final-security": [],
  integration: [],
  release: ["report.md"],
};

const corrected: Readonly<Record<string, readonly string[]>> = {
  SpecAgent: intake,
  Architect: architecture,
  Designer: designSpecs,
};

/** A role's lock scope, relative to the project root. `role` matters only for a correction. */
export function roleFiles(purpose: Purpose, session: string, role = ""): readonly string[] {
  const own = Object.hasOwn(corrected, role) ? (corrected[role] ?? []) : [];
  const files = purpose === "correction" ? own : written[purpose];
  return files.map((file) => sessionPath(session, file));
}
