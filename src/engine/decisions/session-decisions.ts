import { agentOfKey, isMeta, isOfSession, sessionOfKey } from "../../core/names/task-name.ts";
import type { Session } from "../../core/session/session.ts";
import { isSessionOver } from "../../core/session/session.ts";
import { decisionKinds } from "../../core/tasks/decision-kinds.ts";
import type { Task } from "../../core/tasks/task.ts";
import { compareNames } from "../../core/text/compare-names.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";

/** All questions of a session, from its roles, its tasks and its agents, in order. */
export async function sessionDecisions(
  { ledger }: Pick<Engine, "ledger">,
  name: string,
): Promise<readonly Decision[]> {
  const session = await ledger.session(name);
  const agents = new Set([
    ...(await ledger.tasks({ session: name })).flatMap(({ agent }) => agent ?? []),
    ...(session?.returned ?? []).map(({ agent }) => agent),
    ...(session?.dispatched == null ? [] : [session.dispatched.agent]),
  ]);
  // An agent's login question may be older than the session.
  const isOwnLogin = ({ task, askedAt }: Decision) =>
    agents.has(agentOfKey(task) ?? "") && session !== undefined && askedAt >= session.createdAt;
  return (await ledger.decisions())
    .filter((one) => isOfSession(one.task, name) || isOwnLogin(one))
    .toSorted(byTime);
}

function byTime(one: Decision, other: Decision): number {
  if (one.askedAt !== other.askedAt) return one.askedAt < other.askedAt ? -1 : 1;
  return compareNames(one.id, other.id);
}

export async function isNeedless({ ledger }: Pick<Engine, "ledger">, decision: Decision): Promise<boolean> {
  const session = sessionAskedAbout(decision);
  return session === undefined
    ? isSettled({ task: await ledger.task(decision.task), kind: decision.kind })
    : isSettled({ session: await ledger.session(session) });
}

/** The session that a question concerns as a whole; undefined for a question about a task. */
export function sessionAskedAbout({ task }: Pick<Decision, "task">): string | undefined {
  return isMeta(task) ? (sessionOfKey(task) ?? undefined) : undefined;
}

/** Whether no answer is needed any more, because the task or the session is over. */
export function isSettled(about: {
  readonly kind?: Decision["kind"];
  readonly task?: Task | undefined;
  readonly session?: Session | undefined;
}) {
  const { kind, task, session } = about;
  if (session !== undefined) return isSessionOver(session);
  // A person may have resolved the task in another way, such as `task resolve`.
  if (kind !== undefined && decisionKinds[kind].needed === "escalated") return task?.state !== "ESCALATED";
  return task?.state === "MERGED" || task?.state === "FAILED";
}
