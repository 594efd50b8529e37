/** The states of a session from its goal to done (S4-065). */
export const sessionStates = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
  "ASK_USER",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
  "BLOCKED",
] as const;

export type SessionState = (typeof sessionStates)[number];

/** The repair loops. Each allows `repairsMax` rounds per task. */
export const repairLoops = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"] as const;

export type RepairLoop = (typeof repairLoops)[number];

export const repairsMax = 3;

/** The two gates, which need a person's answer. */
export type GateState = "APPROVE_DESIGN" | "REVIEW_STRATEGY";

export function isRepairLoop(state: SessionState): state is RepairLoop {
  return (repairLoops as readonly string[]).includes(state);
}

export function isGate(state: SessionState): state is GateState {
  return state === "APPROVE_DESIGN" || state === "REVIEW_STRATEGY";
}
