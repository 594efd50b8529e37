import { join } from "node:path";
import { copyName } from "../core/names/session-paths.ts";
import { isMeta } from "../core/names/task-name.ts";
import { needsOf } from "../core/session/advance.ts";
import { unmet } from "../core/session/conditions.ts";
import { gateKey } from "../core/session/gate-ids.ts";
import { nextStep, type Step } from "../core/session/next-step.ts";
import type { Session } from "../core/session/session.ts";
import { type GateState, isGate } from "../core/session/states.ts";
import { reopenGate } from "../engine/decisions/ask-gate.ts";
import { skipNeedless } from "../engine/decisions/drop-decisions.ts";
import { operate } from "../engine/operate.ts";
import { writeStatuses } from "../workspace/plan/write-statuses.ts";
import { askApprovalAgain, askAtGate, correctDesign } from "./ask-at-gate.ts";
import { lookOutside, lookUp } from "./files/look-up.ts";
import { sessionFolder } from "./files/session-files.ts";
import { block } from "./roles/block.ts";
import { isStopping, type SessionContext, type StepEnd } from "./roles/session-context.ts";
import { runRole } from "./run-role.ts";
import { implement } from "./tasks/implement.ts";
import { proveAcceptance } from "./tasks/prove-acceptance.ts";
import { beginRepair, repairWhole } from "./tasks/repair-whole.ts";
import { writeReport } from "./write-report.ts";

/** Runs a session until it ends, or until only a person can continue. */
export async function conductSession(
  context: SessionContext,
): Promise<{ readonly how: "over" | "waiting" | "stopped"; readonly session: Session }> {
  using _waits = context.context.engine.ledger.waitWhile?.(() => !context.stops.gently.aborted);
  await pickUp(context);
  for (;;) {
    const session = await context.load();
    const step = nextStep(session, await lookOutside(context.context));
    if (step.do === "over") return { how: "over", session };
    if (isStopping(context)) return { how: "stopped", session };
    const end = await carryOut(context, session, step);
    if (end !== "again") return { how: end, session: await context.load() };
  }
}

/** Cleans up after an interrupted process. */
async function pickUp(context: SessionContext): Promise<void> {
  const { engine, call } = context.context;
  // Ends the attempt of a process that died.
  await operate(engine, "watchdog", {}, call);
  const { dispatched, state } = await context.load();
  await skipNeedless(engine, { session: context.name }, call);
  // Resets the count of invalid answers to a gate (S4-098).
  if (isGate(state) && (await isAsked(context, state)))
    await reopenGate(engine, { session: context.name, gate: state }, call);
  if (state === "INTEGRATE") await promote(context);
  if (dispatched !== null) {
    context.say(`${dispatched.role} was interrupted: dispatching it again`);
    await context.move({ type: "give-up" });
  }
  await context.publish();
}

async function isAsked({ context, name }: SessionContext, gate: GateState): Promise<boolean> {
  const key = gateKey(name, gate);
  return (await context.engine.ledger.decisions({ state: "pending" })).some(({ id }) => id === key);
}

function carryOut(context: SessionContext, session: Session, step: Step): Promise<StepEnd> | StepEnd {
  switch (step.do) {
    case "dispatch":
      return runRole(context, session, step);
    case "ask-gate":
      return askAtGate(context, step.gate);
    case "correct":
      return correctDesign(context, session);
    case "implement":
      return implement(context, session);
    case "fix":
      return repairWhole(context, session, step.loop);
    case "prove":
      return proveAcceptance(context);
    case "report":
      return writeReport(context, session);
    case "move":
      return moveOn(context, session, step);
    case "wait":
      return "waiting";
    case "over":
      throw new Error("a session that is over has no step");
  }
}

async function moveOn(
  context: SessionContext,
  session: Session,
  { event }: Extract<Step, { do: "move" }>,
): Promise<StepEnd> {
  if (event.type === "repair") return beginRepair(context, session, event);
  if (event.type === "ask-approval") return askApprovalAgain(context);
  const needed = needsOf(session, event);
  const missing = unmet(needed, await lookUp(context.context, session, needed));
  if (missing.length > 0)
    return block(context, {
      code: "artifact_invalid",
      reason: missing.join("; "),
      recovery: "fix it, or let the role that wrote it do it again",
    });
  const { state } = await context.move(event);
  if (state === "INTEGRATE") await promote(context);
  return "again";
}

/** The whole work has passed, so every merged task becomes completed in the plan (S4-135). */
async function promote({ context, name }: SessionContext): Promise<void> {
  const tasks = (await context.engine.ledger.tasks({ session: name })).filter(({ key }) => !isMeta(key));
  writeStatuses(
    join(sessionFolder(context.repository.root, name), copyName),
    new Map(tasks.map(({ id, state }) => [id, state])),
  );
}
