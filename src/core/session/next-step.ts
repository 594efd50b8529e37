import type { Purpose, Returned, Session } from "./session.ts";
import type { SessionEvent } from "./session-event.ts";
import type { GateState, RepairLoop } from "./states.ts";

/** The next step of a session. */
export type Step =
  | { readonly do: "dispatch"; readonly role: string; readonly purpose: Purpose }
  /** Try the event; the caller looks up its conditions. */
  | { readonly do: "move"; readonly event: SessionEvent }
  | { readonly do: "ask-gate"; readonly gate: GateState }
  | { readonly do: "correct" }
  /** Run the plan's tasks. */
  | { readonly do: "implement" }
  /** Fix what a final check of the whole work has found. */
  | { readonly do: "fix"; readonly loop: RepairLoop }
  /** Run the acceptance commands on the base. */
  | { readonly do: "prove" }
  | { readonly do: "report" }
  /** Wait for a person's answers. */
  | { readonly do: "wait" }
  | { readonly do: "over" };

export interface Outside {
  /** The number of open questions to a person in this session. */
  readonly pending: number;
  /** Every task of the plan is merged. */
  readonly tasksDone: boolean;
  readonly hasReport: boolean;
}

const researchesMax = 2;

export function nextStep(session: Session, outside: Outside): Step {
  switch (session.state) {
    case "INTAKE":
      return once(session, "SpecAgent", "spec", { type: "intake-done" });
    case "INTAKE_LEAN":
      return once(session, "SpecAgent", "lean-setup", { type: "intake-done" });
    case "DESIGN":
      return designStep(session);
    case "APPROVE_DESIGN":
      return approvalStep(session);
    case "PLAN":
      return once(session, "Planner", "plan", { type: "planned" });
    case "REVIEW_STRATEGY":
      return { do: "ask-gate", gate: session.state };
    case "IMPLEMENT_LOOP":
      return implementStep(session, outside);
    case "FIX_REVIEW":
    case "FIX_TESTS":
    case "FIX_SECURITY":
      return session.repairing.some(({ task }) => task === "meta")
        ? { do: "fix", loop: session.state }
        : { do: "implement" };
    case "FIX_BUILD":
      return { do: "fix", loop: session.state };
    case "INTEGRATE":
      return integrateStep(session, outside);
    case "RELEASE":
      return once(session, "Docs", "release", { type: "released" });
    case "ASK_USER":
      return outside.pending > 0 ? { do: "wait" } : { do: "move", event: { type: "answered" } };
    case "BLOCKED":
    case "DONE":
      return { do: "over" };
  }
}

function once(session: Session, role: string, purpose: Purpose, event: SessionEvent): Step {
  return lastOf(session, purpose) === undefined ? { do: "dispatch", role, purpose } : { do: "move", event };
}

function lastOf({ returned }: Session, purpose: Purpose): Returned | undefined {
  return returned.findLast((one) => one.purpose === purpose);
}

/** Research comes first, because the architecture builds on it. The architect may ask for it once more. */
function designStep({ returned, wants }: Session): Step {
  const order = returned.map(({ purpose }) => purpose);
  const researches = order.filter((purpose) => purpose === "research").length;
  if (wants.includes("research") && researches < researchesMax)
    return { do: "dispatch", role: "Researcher", purpose: "research" };
  const architected = order.lastIndexOf("architecture");
  if (architected === -1 || architected < order.lastIndexOf("research"))
    return { do: "dispatch", role: "Architect", purpose: "architecture" };
  if (wants.includes("design-spec") && !order.includes("design-spec"))
    return { do: "dispatch", role: "Designer", purpose: "design-spec" };
  return { do: "move", event: { type: "designed" } };
}

/** A requested change is made once, then the design is shown again (S4-113 to S4-117). */
function approvalStep({ correction }: Session): Step {
  switch (correction.status) {
    case "queued":
      return { do: "correct" };
    case "dispatched":
      return { do: "move", event: { type: "corrected" } };
    case "completed":
      return { do: "move", event: { type: "ask-approval" } };
    case "none":
      return { do: "ask-gate", gate: "APPROVE_DESIGN" };
  }
}

/** The final checks of the whole work, and the loop that fixes their findings. */
export const finalChecks = [
  { role: "Reviewer", purpose: "final-review", loop: "FIX_REVIEW" },
  { role: "QA", purpose: "final-tests", loop: "FIX_TESTS" },
  { role: "Security", purpose: "final-security", loop: "FIX_SECURITY" },
] as const satisfies readonly { role: string; purpose: Purpose; loop: RepairLoop }[];

function implementStep(session: Session, { tasksDone }: Outside): Step {
  if (!tasksDone) return { do: "implement" };
  if (session.mode === "lean") return { do: "move", event: { type: "implemented" } };
  for (const { role, purpose, loop } of finalChecks) {
    // Each task was already tested separately.
    if (purpose === "final-tests" && session.strategy === "per-batch") continue;
    const last = lastOf(session, purpose);
    if (last === undefined) return { do: "dispatch", role, purpose };
    if (last.status === "BLOCKED") return { do: "move", event: { type: "repair", loop, task: "meta" } };
  }
  return { do: "move", event: { type: "implemented" } };
}

function integrateStep(session: Session, { hasReport }: Outside): Step {
  const repair: Step = { do: "move", event: { type: "repair", loop: "FIX_BUILD", task: "meta" } };
  if (session.ci === "unknown") return { do: "prove" };
  if (session.ci === "red" && session.checksWaived === null) return repair;
  if (session.mode === "lean")
    return hasReport ? { do: "move", event: { type: "integrated" } } : { do: "report" };
  const last = lastOf(session, "integration");
  if (last === undefined) return { do: "dispatch", role: "Integrator", purpose: "integration" };
  return last.status === "BLOCKED" ? repair : { do: "move", event: { type: "integrated" } };
}
