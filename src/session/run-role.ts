import { sessionsFolder } from "../core/names/session-paths.ts";
import { leanObjections } from "../core/session/artifacts/lean-objections.ts";
import type { Purpose, Session } from "../core/session/session.ts";
import { askSession } from "../engine/decisions/ask-session.ts";
import { sessionDecisions } from "../engine/decisions/session-decisions.ts";
import { planOf } from "./files/judge-files.ts";
import { filesOf } from "./files/look-up.ts";
import { block, blockUnanswered } from "./roles/block.ts";
import { dispatchRole, type RoleSaid } from "./roles/dispatch-role.ts";
import { judgeWhole } from "./roles/judge-whole.ts";
import { startOf } from "./roles/role-agents.ts";
import { requestFor } from "./roles/role-requests.ts";
import type { SessionContext, StepEnd } from "./roles/session-context.ts";
import { runExtraTask } from "./tasks/run-extra-task.ts";
import { completeReport } from "./write-report.ts";

interface Asked {
  readonly role: string;
  readonly purpose: Purpose;
}

/** Dispatches one role for the current step, and records the result in the session. */
export async function runRole(context: SessionContext, session: Session, asked: Asked): Promise<StepEnd> {
  const { role, purpose } = asked;
  if (await isDecided(context, session, asked)) return "again";
  context.say(startOf(context.roles, asked));
  const { ledger } = context.context.engine;
  const used = new Set((await ledger.tasks({ session: context.name })).map(({ id }) => id));
  const request = requestFor(context.context, session, { ...asked, used });
  const end =
    request === undefined
      ? await judgeWhole(context, session, asked)
      : await dispatchRole(context, session, request);
  if (end.how !== "answered") return blockUnanswered(context, role, end);
  const { answer } = end;
  context.say(`${role}  ${answer.status}: ${answer.summary}`);
  if (answer.status === "NEEDS_INFO" || answer.status === "NEEDS_DECISION")
    return askPeople(context, session, { role, purpose, answer });
  if (answer.status === "FAIL" || (answer.status === "BLOCKED" && request !== undefined))
    return block(context, {
      code: answer.status === "FAIL" ? "agent_failed" : "agent_blocked",
      reason: `${role}: ${answer.summary}`,
      recovery: "resolve what it reports",
    });
  const documents = answer.filesToUpdate.filter((path) => !path.startsWith(`${sessionsFolder}/`));
  if (purpose === "release" && documents.length > 0) {
    const end = await runExtraTask(context, docsTask(documents, answer.summary));
    if (typeof end === "string" && end !== "merged") return end;
    if (typeof end !== "string")
      await context.move({ type: "note", knownIssues: [`${documents.join(", ")}: ${end.failed}`] });
  }
  if (purpose === "release") await completeReport(context);
  const { summary, next, findings, manualSteps = [] } = answer;
  if (manualSteps.length > 0)
    await context.move({
      type: "note",
      knownIssues: manualSteps.map((step) => `manual step from ${role}: ${step}`),
    });
  const status = answer.status === "BLOCKED" ? "BLOCKED" : "OK";
  await context.move({ type: "return", returned: { status, summary, next: next.agent, findings } });
  if (purpose === "lean-setup") await leaveLean(context);
  return "again";
}

/** Lean mode is for small work: if the plan shows that the work is not small, the session switches to full mode. */
async function leaveLean(context: SessionContext): Promise<void> {
  const plan = planOf(context.context, filesOf(context.context));
  const objections = "faults" in plan ? [] : leanObjections(plan.tasks);
  if (objections.length > 0) await context.move({ type: "too-complex", reason: objections.join("; ") });
}

function docsTask(documents: readonly string[], summary: string) {
  return {
    id: "DOCS",
    title: "Update the documents",
    goal: `Update ${documents.join(", ")} to match what was built. ${summary}`,
    scope: documents,
    role: "Docs",
  };
}

/**
 * A person's answers to the security review of this exact work count as its result; a deferral counts too
 * (S4-096).
 */
async function isDecided(
  context: SessionContext,
  session: Session,
  { role, purpose }: Asked,
): Promise<boolean> {
  if (role !== "Security") return false;
  const all = await sessionDecisions(context.context.engine, context.name);
  const own = all.filter(
    ({ data }) => data?.purpose === purpose && data.repairsBegun === session.repairsBegun,
  );
  if (own.length === 0) return false;
  const deferred = own.flatMap(({ state, question, answer }) =>
    state === "answered" ? [] : [`left open by a person: ${question} (${answer ?? state})`],
  );
  if (deferred.length > 0) await context.move({ type: "note", knownIssues: deferred });
  const summary = own.map(({ id, answer, state }) => `${id}: ${answer ?? state}`).join("; ");
  const findings = own.flatMap(({ question, answer }) =>
    answer?.startsWith("retry") ? [`${question} (${answer})`] : [],
  );
  const status = findings.length > 0 ? "BLOCKED" : "OK";
  await context.move({ type: "dispatch", dispatched: { role, purpose, agent: "person" } });
  await context.move({ type: "return", returned: { status, summary, next: "Orchestrator", findings } });
  return true;
}

/**
 * Asks a person each of the role's questions once; the session then returns to this step with the answers
 * (A4-14).
 */
async function askPeople(
  context: SessionContext,
  session: Session,
  { role, purpose, answer }: Asked & { readonly answer: RoleSaid },
): Promise<StepEnd> {
  await context.move({ type: "give-up" });
  const { engine, call } = context.context;
  for (const question of answer.questions)
    await askSession(
      engine,
      {
        session: context.name,
        kind: answer.status === "NEEDS_DECISION" ? "repair" : "question",
        question: `${role} asks: ${question}`,
        options: answer.status === "NEEDS_DECISION" ? ["accept", "retry"] : [],
        stateContext: session.state,
        fromSecurity: role === "Security",
        about: [purpose, String(session.repairsBegun), question],
        data: { role, purpose, repairsBegun: session.repairsBegun },
      },
      call,
    );
  await context.move({ type: "ask" });
  return "again";
}
