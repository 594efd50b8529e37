/** The names by which agents know each other (S4-195). */
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

/** A question that only a person can answer; one role each may ask it. */
export const questions = { NEEDS_INFO: "Researcher", NEEDS_DECISION: "Security" } as const;

/** `SpecAgent` is `spec-agent` where files are named (S4-197); empty where a name has no letter or digit. */
export function kebabName(role: string): string {
  return role
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
