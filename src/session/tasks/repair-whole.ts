import { finalChecks } from "../../core/session/next-step.ts";
import { type Repair, repairsOf, type Session } from "../../core/session/session.ts";
import type { SessionEventOf } from "../../core/session/session-event.ts";
import { repairsMax } from "../../core/session/states.ts";
import { askSession } from "../../engine/decisions/ask-session.ts";
import { planOf } from "../files/judge-files.ts";
import { filesOf } from "../files/look-up.ts";
import type { SessionContext, StepEnd } from "../roles/session-context.ts";
import { runExtraTask } from "./run-extra-task.ts";

/** Starts a repair of the whole work, or asks a person after too many tries. */
export async function beginRepair(
  context: SessionContext,
  session: Session,
  event: SessionEventOf<"repair">,
): Promise<StepEnd> {
  const { loop, task } = event;
  if (repairsOf(session, task, loop) < repairsMax) {
    context.say(`${loop}: ${findingsFor(session, loop)[0] ?? "something must be fixed"}`);
    await context.move(event);
    return "again";
  }
  const { engine, call } = context.context;
  const decision = await askSession(
    engine,
    {
      session: context.name,
      kind: "repair",
      question: `${loop} was tried ${repairsMax} times, but this is not fixed: ${findingsFor(session, loop).join("; ") || "no details"}. Retry (say how), or accept it as a known issue?`,
      options: ["retry", "accept"],
      stateContext: session.state,
      fromSecurity: false,
      about: [loop, task, String(session.repairsBegun)],
      data: { loop, task },
    },
    call,
  );
  if (decision.state === "pending") {
    await context.move({ type: "ask" });
    return "again";
  }
  if (decision.state === "answered" && decision.answer?.startsWith("retry"))
    await context.move({ type: "grant-repairs", loop, task });
  else await accept(context, session, { loop, why: decision.answer ?? decision.state });
  return "again";
}

/** Records the findings as known issues, and the session continues. */
async function accept(
  { move }: SessionContext,
  session: Session,
  { loop, why }: { readonly loop: Repair["loop"]; readonly why: string },
): Promise<void> {
  const findings = findingsFor(session, loop);
  await move({ type: "note", knownIssues: findings.length > 0 ? findings : [`${loop}: ${why}`] });
  const final = finalChecks.find((one) => one.loop === loop);
  const last =
    final ?? (session.ci === "red" ? undefined : { role: "Integrator", purpose: "integration" as const });
  if (last === undefined) {
    await move({ type: "note", checksWaived: why });
    return;
  }
  await move({ type: "dispatch", dispatched: { role: last.role, purpose: last.purpose, agent: "person" } });
  await move({
    type: "return",
    returned: { status: "OK", summary: `a person: ${why}`, next: "Orchestrator", findings: [] },
  });
}

/** The findings that a repair must fix. */
function findingsFor({ returned, failedStep, ci }: Session, loop: Repair["loop"]): readonly string[] {
  if (loop === "FIX_BUILD" && ci === "red") return failedStep === null ? [] : [failedStep];
  const purpose = finalChecks.find((one) => one.loop === loop)?.purpose ?? "integration";
  const last = returned.findLast((one) => one.purpose === purpose && one.status === "BLOCKED");
  if (last === undefined) return [];
  return last.findings.length > 0 ? last.findings : [last.summary];
}

/** Lets an agent fix the findings about the whole work, as a separate task with the usual proof. */
export async function repairWhole(
  context: SessionContext,
  session: Session,
  loop: Repair["loop"],
): Promise<StepEnd> {
  const repair = session.repairing.find((one) => one.task === "meta");
  if (repair === undefined)
    throw new Error(`session \`${session.name}\` has no repair in state ${session.state}`);
  const end = await runExtraTask(context, {
    id: `FIX-${repair.number}`,
    title: `Repair ${repair.number}: ${loop.slice("FIX_".length).toLowerCase()}`,
    goal: ["Fix this:", ...findingsFor(session, loop).map((one) => `- ${one}`)].join("\n"),
    scope: scopeOf(context, loop),
    role: loop === "FIX_BUILD" ? "Integrator" : "Coder",
  });
  if (typeof end === "string" && end !== "merged") return end;
  // If it is not fixed, the next check finds it again; this counts as a try.
  if (typeof end !== "string") context.say(`FIX-${repair.number}: ${end.failed}`);
  await context.move({ type: "repaired", task: "meta" });
  return "again";
}

/** The scopes of the plan's tasks; a broken build may need a fix anywhere. */
function scopeOf({ context }: SessionContext, loop: Repair["loop"]): readonly string[] {
  const plan = planOf(context, filesOf(context));
  if (loop === "FIX_BUILD" || "faults" in plan) return ["."];
  return [...new Set(plan.tasks.flatMap(({ lock_scope: scope }) => scope))];
}
