/** The role names of agents (S4-195). */
export const roleNames = [
  "SpecAgent",
  "Architect",
  "Planner",
  "Designer",
  "Researcher",
  "Coder",
  "Reviewer",
  "QA",
  "Security",
  "Integrator",
  "Docs",
  "Orchestrator",
] as const;

export type RoleName = (typeof roleNames)[number];

/** Questions that only a person can answer, with the role that may ask each. */
export const questions = { NEEDS_INFO: "Researcher", NEEDS_DECISION: "Security" } as const;

/** `SpecAgent` becomes `spec-agent` in file names (S4-197). Empty if the name has no letter or digit. */
export function kebabName(role: string): string {
  return role
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
