import { isMeta, isOfSession } from "../../core/names/task-name.ts";
import type { Session } from "../../core/session/session.ts";
import { isGivenUp } from "../../core/session/session.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import type { Decision, Survey } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";
import { lookAt, outcomeOf, type TaskStatus } from "./read-status.ts";

export interface ListedSession {
  readonly name: string;
  /**
   * The workflow's state for a session from `start`; the outcome of its tasks for a plan; `abandoned` if it was
   * given up.
   */
  readonly state: string;
  /** The goal of `start`, or the title of the only task; null for a plan with several tasks. */
  readonly goal: string | null;
  readonly tasks: { readonly merged: number; readonly open: number; readonly failed: number };
  readonly created_at: string;
}

/** All sessions in the ledger, newest first. */
export async function listSessions(engine: Engine): Promise<readonly ListedSession[]> {
  const survey = await engine.ledger.survey();
  return sessionsIn(survey, lookAt(engine, survey));
}

/** The same, of a survey that was read before. */
export function sessionsIn(
  survey: Survey,
  { asked, statusOf }: Pick<ReturnType<typeof lookAt>, "statusOf"> & { readonly asked: readonly Asked[] },
): readonly ListedSession[] {
  const byName = new Map(survey.sessions.map((session) => [session.name, session]));
  const tasks = Map.groupBy(survey.tasks, ({ session }) => session ?? "");
  const names = new Set([...byName.keys(), ...tasks.keys()].filter(Boolean));
  return [...names]
    .map((name) => {
      const own = tasks.get(name) ?? [];
      const questions = asked.filter(({ task }) => isOfSession(task, name)).length;
      return listed(name, { session: byName.get(name), tasks: own, questions, statusOf });
    })
    .toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
}

type Asked = Pick<Decision, "task">;

interface Known {
  readonly session: Session | undefined;
  readonly tasks: readonly Task[];
  readonly questions: number;
  statusOf(task: Task): TaskStatus;
}

function listed(name: string, { session, tasks, questions, statusOf }: Known): ListedSession {
  const shown = tasks.filter(({ key }) => !isMeta(key));
  const merged = shown.filter(isIn).length;
  const failed = shown.filter(({ state }) => state === "FAILED").length;
  const created = [...tasks.map(({ createdAt }) => createdAt), ...(session ? [session.createdAt] : [])];
  return {
    name,
    state:
      session === undefined
        ? (outcomeOf(shown.map(statusOf), questions) ?? "empty")
        : isGivenUp(session)
          ? "abandoned"
          : session.state,
    goal: session?.goal ?? (shown.length === 1 ? (shown[0]?.title ?? null) : null),
    tasks: { merged, failed, open: shown.length - merged - failed },
    created_at: created.toSorted()[0] ?? "",
  };
}
