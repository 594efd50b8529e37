import { join } from "node:path";
import { copyName, sessionPath } from "../core/names/session-paths.ts";
import {
  correctorFor,
  readApproval,
  readStrategy,
  recommendedStrategy,
} from "../core/session/gate-answers.ts";
import { gateKey } from "../core/session/gate-ids.ts";
import type { Session } from "../core/session/session.ts";
import type { GateState } from "../core/session/states.ts";
import { askGate, reopened } from "../engine/decisions/ask-gate.ts";
import { canonicalJson } from "../ledger/event-chain.ts";
import type { Decision } from "../ledger/ledger.ts";
import { keepVersion } from "./files/design-versions.ts";
import { planOf } from "./files/judge-files.ts";
import { filesOf } from "./files/look-up.ts";
import { appendHistory } from "./files/publish-status.ts";
import { listSessionFiles, readSessionFile } from "./files/session-files.ts";
import { block, blockUnanswered } from "./roles/block.ts";
import { dispatchRole } from "./roles/dispatch-role.ts";
import { startOf } from "./roles/role-agents.ts";
import { requestFor } from "./roles/role-requests.ts";
import type { SessionContext, StepEnd } from "./roles/session-context.ts";

/** Asks one of the two questions that a person must answer before the session continues. */
export async function askAtGate(context: SessionContext, gate: GateState): Promise<StepEnd> {
  const { engine, call } = context.context;
  const question = gate === "APPROVE_DESIGN" ? approvalQuestion(context) : strategyQuestion(context);
  const decision = await askGate(engine, { session: context.name, gate, ...question }, call);
  await context.publish();
  if (decision.state === "pending") return "waiting";
  if (decision.state !== "answered" || decision.answer === null)
    return block(context, {
      code: "mandatory_user_decision_missing",
      reason: `${decision.id} was ${decision.state}: ${decision.answer ?? "no reason given"}`,
      recovery: "decide",
    });
  return gate === "APPROVE_DESIGN"
    ? takeApproval(context, decision.answer, decision)
    : takeStrategy(context, decision.answer);
}

function approvalQuestion({ name, context }: SessionContext) {
  const stateFolder = join(context.repository.commonFolder, "lockstep");
  const files = [...listSessionFiles(context.repository.root, name)].filter((file) =>
    /^(?:spec\.md|acceptance\.json|architecture\.md|(?:adr|design-specs|research)\/.*)$/.test(file),
  );
  return {
    question: `Do you approve this design? Read ${files.join(", ").replace(/, ([^,]+)$/, " and $1")} in ${sessionPath(name, "")}.`,
    options: ["approved", "changes-requested: …"],
    data: {
      documents: files.map((file) =>
        keepVersion(stateFolder, file, readSessionFile(context.repository.root, name, file) ?? ""),
      ),
    },
  };
}

function strategyQuestion({ name, context }: SessionContext) {
  const plan = planOf(context, filesOf(context));
  const tasks = "faults" in plan ? [] : plan.tasks;
  const recommended = recommendedStrategy({
    tasks: tasks.length,
    hasDependencies: tasks.some(({ depends_on: needs }) => needs.length > 0),
    isRisky: tasks.some(({ risk_flags: flags }) => flags.some((flag) => flag !== "none")),
  });
  return {
    question: `How should the work be reviewed: each task before it is merged (per-batch), or everything at the end (single-final)? Recommended for ${tasks.length === 1 ? "the one task" : `the ${tasks.length} tasks`} in ${sessionPath(name, copyName)}: ${recommended}.`,
    options: ["per-batch", "single-final"],
    data: { recommended },
  };
}

async function takeApproval(context: SessionContext, answer: string, decision: Decision): Promise<StepEnd> {
  const read = readApproval(answer);
  if (read === undefined) throw new Error(`\`${answer}\` was stored as an answer to ${decision.id}`);
  if (read.approved) {
    const { documents } = approvalQuestion(context).data;
    if (canonicalJson(decision.data?.documents) === canonicalJson(documents)) {
      await context.move({ type: "approved" });
      return "again";
    }
    context.say("the design has changed since it was approved: asking for approval again");
    return askApprovalAgain(context);
  }
  // Written to the history first, so that the request is never lost (S4-102).
  const kept = appendHistory(context.context.repository.root, context.name, {
    at: decision.answeredAt,
    decision_id: "UD-APPROVE-DESIGN",
    answer,
    state_context: "APPROVE_DESIGN",
  });
  if (kept !== undefined)
    return block(context, { code: "persistence_failure", reason: kept.reason, recovery: "free disk space" });
  context.say(`changes requested: ${read.request}`);
  await context.move({ type: "changes-requested", request: read.request });
  return "again";
}

async function takeStrategy(context: SessionContext, answer: string): Promise<StepEnd> {
  const strategy = readStrategy(answer);
  if (strategy === undefined) throw new Error(`\`${answer}\` was stored as a strategy`);
  await context.move({ type: "strategy-chosen", strategy });
  return "again";
}

/** Asks the role that wrote the design to change it as requested; then the person is asked again. */
export async function correctDesign(context: SessionContext, session: Session): Promise<StepEnd> {
  const files = listSessionFiles(context.context.repository.root, context.name);
  const hasDesignSpec = [...files].some((file) => file.startsWith("design-specs/"));
  const role = correctorFor(session.correction.request ?? "", { hasDesignSpec });
  const request = requestFor(context.context, session, { role, purpose: "correction" });
  if (request === undefined) throw new Error("no request is defined for a correction");
  context.say(startOf(context.roles, { role, purpose: "correction" }));
  const end = await dispatchRole(context, session, request);
  if (end.how !== "answered") return blockUnanswered(context, role, end);
  const { status, summary, next, findings } = end.answer;
  context.say(`${role}  ${status}: ${summary}`);
  if (status !== "OK")
    return block(context, {
      code: "agent_blocked",
      reason: `${role}: ${summary}`,
      recovery: "resolve what it reports",
    });
  await context.move({ type: "return", returned: { status, summary, next: next.agent, findings } });
  await context.move({ type: "corrected" });
  return "again";
}

/** Asks for approval again; the earlier answer no longer counts (A4-3). */
export async function askApprovalAgain(context: SessionContext): Promise<StepEnd> {
  const { engine } = context.context;
  const key = gateKey(context.name, "APPROVE_DESIGN");
  const entry = (await engine.ledger.decisions()).find(({ id }) => id === key);
  // In one commit, so that an answer to the new question is never taken as an answer to the old one.
  const reopening = entry?.state === "answered" ? [reopened(entry, context.now())] : [];
  await context.move({ type: "ask-approval" }, reopening);
  return "again";
}
