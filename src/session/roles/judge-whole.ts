import { worklogPath } from "../../core/names/session-paths.ts";
import { metaId } from "../../core/names/task-name.ts";
import { contextFilesFor } from "../../core/session/context-files.ts";
import type { Purpose, Session } from "../../core/session/session.ts";
import { askReviewer } from "../../run/review/ask-reviewer.ts";
import { listSessionFiles } from "../files/session-files.ts";
import { judgeGiven, type RoleEnd } from "./dispatch-role.ts";
import { decidedBefore, metaTask } from "./meta-task.ts";
import type { SessionContext } from "./session-context.ts";

const goals: Readonly<Partial<Record<Purpose, string>>> = {
  "final-review": "Review everything that the session has changed, as one piece of work",
  "final-tests": "Test everything that the session has changed against its acceptance criteria",
  "final-security": "Review everything that the session has changed for security problems",
  integration:
    "Check whether the merged work builds, starts and passes its checks, and report what must be fixed",
};

/** Lets a role review everything that the session has changed; it writes nothing. */
export async function judgeWhole(
  sessionContext: SessionContext,
  session: Session,
  { role, purpose }: { readonly role: string; readonly purpose: Purpose },
): Promise<RoleEnd> {
  const { context, roles, name, stops } = sessionContext;
  const { root } = context.repository;
  const { files, missing } = contextFilesFor(role, name, listSessionFiles(root, name));
  if (missing.length > 0) return { how: "missing", files: missing };
  const faults = judgeGiven(context, files);
  if (faults.length > 0) return { how: "invalid", faults };
  const agent = roles.agentOf(role);
  await sessionContext.move({ type: "dispatch", dispatched: { role, purpose, agent } });
  const goal = `${goals[purpose] ?? purpose}. The goal was: ${session.goal}`;
  const task = metaTask(name, {
    ...{ goal, title: `${role}: ${purpose}`, agent, contextFiles: files },
    files: [worklogPath(name, metaId)],
    constraints: await decidedBefore(context.engine, name),
  });
  const commit = (await context.atBase()).repository.baseCommit;
  const asked = { agent, focus: null, role, makers: new Set<string>(), stop: stops.atOnce };
  const found = await askReviewer(context, task, { commit, base: session.baseCommit }, asked);
  if ("unanswered" in found) return { how: "unanswered", why: found };
  const { verdict, summary, findings } = found;
  const questions = findings.length > 0 ? findings : [summary];
  const answer = { status: statuses[verdict], summary, findings, questions, filesToUpdate: [] };
  return { how: "answered", answer: { ...answer, next: { agent: "Orchestrator" } } };
}

const statuses = { approved: "OK", refused: "BLOCKED", undecided: "NEEDS_DECISION" } as const;
