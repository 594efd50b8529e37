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
import type { Decision } from "../ledger/ledger.ts";
import { block, blockUnanswered } from "./block.ts";
import { keepVersion } from "./design-versions.ts";
import { dispatchRole } from "./dispatch-role.ts";
import { planOf } from "./judge-files.ts";
import { filesOf } from "./look-up.ts";
import { appendHistory } from "./publish-status.ts";
import { startOf } from "./role-agents.ts";
import { wishFor } from "./role-wishes.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";
import { listSessionFiles, readSessionFile } from "./session-files.ts";

/** One of the two questions without whose answer nothing goes on. */
export async function askAtGate(context: SessionContext, gate: GateState): Promise<StepEnd> {
  const { engine, call } = context.context;
  const question = gate === "APPROVE_DESIGN" ? approvalQuestion(context) : strategyQuestion(context);
  const decision = await askGate(engine, { session: context.name, gate, ...question }, call);
  await context.publish();
  if (decision.state === "pending") return "waiting";
  if (decision.state !== "answered" || decision.answer === null)
    return block(context, {
      code: "mandatory_user_decision_missing",
      reason: `${decision.id} was ${decision.state}: ${decision.answer ?? "nobody says why"}`,
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
    question: `Is this the design to build? Read ${files.join(", ")} in ${sessionPath(name, "")}.`,
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
    question: `How is the work to be reviewed: each task before it is merged (per-batch), or all of it at the end (single-final)? For ${tasks.length === 1 ? "the one task" : `the ${tasks.length} tasks`} in ${sessionPath(name, copyName)}: ${recommended}.`,
    options: ["per-batch", "single-final"],
    data: { recommended },
  };
}

async function takeApproval(context: SessionContext, answer: string, decision: Decision): Promise<StepEnd> {
  const read = readApproval(answer);
  if (read === undefined) throw new Error(`\`${answer}\` was stored as an answer to ${decision.id}`);
  if (read.approved) {
    const { documents } = approvalQuestion(context).data;
    if (JSON.stringify(decision.data?.documents) === JSON.stringify(documents)) {
      await context.move({ type: "approved" });
      return "again";
    }
    context.say("the design has changed since it was approved: it is asked about again");
    return askApprovalAgain(context);
  }
  // In the history before anything else, so that it is never lost (S4-102).
  const kept = appendHistory(context.context.repository.root, context.name, {
    at: decision.answeredAt,
    decision_id: "UD-APPROVE-DESIGN",
    answer,
    state_context: "APPROVE_DESIGN",
  });
  if (kept !== undefined)
    return block(context, { code: "persistence_failure", reason: kept.reason, recovery: "make room for it" });
  context.say(`changes requested: ${read.wish}`);
  await context.move({ type: "changes-requested", wish: read.wish });
  return "again";
}

async function takeStrategy(context: SessionContext, answer: string): Promise<StepEnd> {
  const strategy = readStrategy(answer);
  if (strategy === undefined) throw new Error(`\`${answer}\` was stored as a strategy`);
  await context.move({ type: "strategy-chosen", strategy });
  return "again";
}

/** Lets whoever wrote it change the design as the person asked; then it is shown to them again. */
export async function correctDesign(context: SessionContext, session: Session): Promise<StepEnd> {
  const files = listSessionFiles(context.context.repository.root, context.name);
  const hasDesignSpec = [...files].some((file) => file.startsWith("design-specs/"));
  const role = correctorFor(session.correction.wish ?? "", { hasDesignSpec });
  const wish = wishFor(context.context, session, { role, purpose: "correction" });
  if (wish === undefined) throw new Error("nobody corrects a design");
  context.say(startOf(context.roles, { role, purpose: "correction" }));
  const end = await dispatchRole(context, session, wish);
  if (end.how !== "answered") return blockUnanswered(context, role, end);
  const { status, summary, next, findings } = end.answer;
  context.say(`${role}  ${status}: ${summary}`);
  if (status !== "OK")
    return block(context, {
      code: "agent_blocked",
      reason: `${role}: ${summary}`,
      recovery: "do what it asks for",
    });
  await context.move({ type: "return", returned: { status, summary, next: next.agent, findings } });
  await context.move({ type: "corrected" });
  return "again";
}

/** The same question once more, with nothing answered (A4-3). */
export async function askApprovalAgain(context: SessionContext): Promise<StepEnd> {
  const { engine } = context.context;
  const key = gateKey(context.name, "APPROVE_DESIGN");
  const entry = (await engine.ledger.decisions()).find(({ id }) => id === key);
  // In one commit, so that no answer to the new question is ever taken for one to the old.
  const anew = entry?.state === "answered" ? [reopened(entry, context.now())] : [];
  await context.move({ type: "ask-approval" }, anew);
  return "again";
}
