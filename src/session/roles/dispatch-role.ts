import { type RoleAnswer, readRoleAnswer } from "../../clients/answer/read-role-answer.ts";
import { promptForRole } from "../../clients/input/prompt.ts";
import { universalInput } from "../../clients/input/universal-input.ts";
import { isHere } from "../../core/leases/lease.ts";
import { sessionPath } from "../../core/names/session-paths.ts";
import { contextFilesFor } from "../../core/session/context-files.ts";
import { roleFiles } from "../../core/session/role-files.ts";
import type { Purpose, Session } from "../../core/session/session.ts";
import { putBack } from "../../engine/attempts/refuse-attempt.ts";
import { operate } from "../../engine/operate.ts";
import type { Agent } from "../../run/attempt/agents.ts";
import { type OpenAttempt, openAttempt } from "../../run/attempt/attempt.ts";
import { type Unanswered, unanswered } from "../../run/attempt/converse.ts";
import { runAgent } from "../../run/attempt/run-agent.ts";
import type { RunContext, RunTask } from "../../run/attempt/run-context.ts";
import { judgeFiles, type SessionFiles } from "../files/judge-files.ts";
import { filesOf } from "../files/look-up.ts";
import { listSessionFiles, readSessionFile } from "../files/session-files.ts";
import { keepWritten, readWritten, type Written } from "../files/take-in-files.ts";
import { judgeViewEdit } from "./judge-view-edit.ts";
import { decidedBefore, metaTask } from "./meta-task.ts";
import type { SessionContext } from "./session-context.ts";

export interface RoleRequest {
  readonly role: string;
  readonly purpose: Purpose;
  /** The role's goal, in a sentence. */
  readonly goal: string;
  /** Finds faults in the files that the role has written, as they would be after they are copied into the session. */
  judge(files: SessionFiles): readonly string[];
}

/** The part of an answer that decides how the session continues. */
export interface RoleSaid
  extends Pick<RoleAnswer, "status" | "summary" | "findings" | "questions" | "filesToUpdate"> {
  readonly next: { readonly agent: string };
  readonly manualSteps?: readonly string[];
}

export type RoleEnd =
  | { readonly how: "answered"; readonly answer: RoleSaid }
  /** A file that the role needs is missing (S4-058) or invalid (S4-166): no agent was started. */
  | { readonly how: "missing"; readonly files: readonly string[] }
  | { readonly how: "invalid"; readonly faults: readonly string[] }
  | { readonly how: "unanswered"; readonly why: Unanswered };

const judgedFiles = {
  "spec.md": "spec",
  "acceptance.json": "acceptance",
  "architecture.md": "architecture",
  "tasks.yaml": "plan",
} as const;

/** Finds faults in the files that the role has to read. */
export function judgeGiven(context: RunContext, files: readonly string[]): readonly string[] {
  const given = Object.entries(judgedFiles).filter(([name]) =>
    files.some((file) => file.endsWith(`/${name}`)),
  );
  return judgeFiles(
    context,
    filesOf(context),
    given.map(([, condition]) => condition),
  );
}

/**
 * Lets a role write its files of the session: in a copy and inside its lock. Only valid files are copied into the
 * session.
 */
export async function dispatchRole(
  sessionContext: SessionContext,
  session: Session,
  request: RoleRequest,
): Promise<RoleEnd> {
  const { context, roles, name } = sessionContext;
  const { engine, repository } = context;
  const present = listSessionFiles(repository.root, name);
  const { files, missing } = contextFilesFor(request.role, name, present);
  if (missing.length > 0) return { how: "missing", files: missing };
  const faults = judgeGiven(context, files);
  if (faults.length > 0) return { how: "invalid", faults };
  const planned = roles.agentOf(request.role);
  const agent = context.agents.choose(planned, { type: null, as: "implementer" });
  if (agent === undefined)
    return { how: "unanswered", why: { how: "resting", unanswered: context.agents.whyResting(planned) } };
  await sessionContext.move({ type: "dispatch", dispatched: { ...request, agent: agent.name } });
  const task = metaTask(name, {
    ...{
      goal: request.goal,
      title: `${request.role}: ${request.purpose}`,
      agent: agent.name,
      contextFiles: files,
    },
    files: roleFiles(request.purpose, name, request.role),
    constraints: await decidedBefore(engine, name),
  });
  await freeMeta(sessionContext, task.key);
  const attempt = await openAttempt(context, task, (before) => ({
    ...task.packet,
    context_revision: (before?.contextRevision ?? 0) + 1,
  }));
  if ("allow" in attempt)
    return { how: "unanswered", why: { how: "failed", unanswered: `${attempt.code}: ${attempt.reason}` } };
  try {
    return await work(sessionContext, session, { request, task, agent, attempt });
  } finally {
    // The attempt may already have ended: halted by its budget, or stopped by a person.
    await putBack(engine, { task: task.key, reason: `${request.role} has finished` }, attempt.call);
  }
}

/**
 * Frees the session's own task if the previous role was halted or stopped, or runs on a machine that no longer conducts
 * the session: what it writes there is not taken in.
 */
async function freeMeta({ context: { engine, call } }: SessionContext, key: string): Promise<void> {
  const task = await engine.ledger.task(key);
  const note = "another role is dispatched";
  const attempt = task?.state === "IN_PROGRESS" ? await engine.ledger.attempt(key) : undefined;
  if (attempt?.leaseState === "running" && !isHere(attempt, engine.machine))
    await putBack(engine, { task: key, reason: "another machine conducts the session now" }, call);
  if (task?.state === "ESCALATED") await operate(engine, "task-resolve", { task: key, note }, call);
  if (task?.state === "BLOCKED") await operate(engine, "task-retry", { task: key }, call);
}

interface Working {
  readonly request: RoleRequest;
  readonly task: RunTask;
  readonly agent: Agent;
  readonly attempt: OpenAttempt;
}

interface Answered {
  readonly said: RoleAnswer;
  readonly written: Written;
}

async function work(
  sessionContext: SessionContext,
  session: Session,
  { request, task, agent, attempt }: Working,
): Promise<RoleEnd> {
  const { context, stops } = sessionContext;
  const { baseCommit: base } = (await context.atBase()).repository;
  const { lock_scope: lockScope } = task.plan;
  const { root } = context.repository;
  const { role, purpose } = request;
  return runAgent<Answered, RoleEnd>(context, {
    ...{ purpose: "write-files", task, agent, attempt, stop: stops.atOnce },
    tree: { attempt: attempt.started.attempt, base, commit: base, lockScope, isFresh: true },
    tell: (event) => context.onTask(task.key, event),
    ask: async ({ checkout }) => {
      const input = inputFor(sessionContext, session, { role, task, attempt });
      return {
        input,
        prompt: promptForRole(input, { role, purpose, files: lockScope, root }),
        read: async (answer) => {
          const said = readRoleAnswer(answer, { role });
          if ("invalid" in said) return said;
          const written = await readWritten(context, checkout, lockScope);
          const faults = said.status === "OK" ? request.judge(reader(sessionContext, written)) : [];
          return faults.length === 0 ? { said, written } : { invalid: faults.join("\n") };
        },
      };
    },
    settle: async (talked) => {
      if (talked.how !== "answered") return { how: "unanswered", why: unanswered(talked) };
      await takeIn(sessionContext, role, talked.answer.written);
      return { how: "answered", answer: talked.answer.said };
    },
  });
}

/** The session's files as they would be with the written ones. */
function reader({ context, name }: SessionContext, { files }: Written): SessionFiles {
  const { root } = context.repository;
  return {
    read: (file) => files.get(file) ?? readSessionFile(root, name, file),
    list: () => [...new Set([...listSessionFiles(root, name), ...files.keys()])],
  };
}

const strayedMax = 5;

async function takeIn(sessionContext: SessionContext, role: string, written: Written): Promise<void> {
  const { context, say } = sessionContext;
  keepWritten(context, written.files);
  for (const name of written.strayed.slice(0, strayedMax))
    say(`${role} wrote ${name}, which is not one of its files: not kept`);
  if (written.strayed.length > strayedMax)
    say(`${role} wrote ${written.strayed.length - strayedMax} more files that are not its own: not kept`);
  for (const one of written.edits) await judgeViewEdit(sessionContext, { role, task: null, edit: one });
}

function inputFor(
  { context, name }: SessionContext,
  session: Session,
  { role, task, attempt }: { readonly role: string } & Pick<Working, "task" | "attempt">,
) {
  const { config, repository } = context;
  return universalInput(task.plan, {
    assignment: task.packet.assignment,
    role,
    attempt: attempt.started.attempt,
    fixDelta: null,
    branch: repository.base,
    projectType: config.project_type,
    ciStatus: session.ci,
    lastFailedStep: session.failedStep,
    artifacts: [...listSessionFiles(repository.root, name)].map((file) => sessionPath(name, file)),
  });
}
