import { isMeta } from "../../core/names/task-name.ts";
import { isGivenUp, isSessionOver } from "../../core/session/session.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Survey } from "../../ledger/ledger.ts";
import { openAmong } from "./read-status.ts";

type Facts = Pick<Survey, "tasks" | "attempts" | "decisions" | "sessions">;

/**
 * The tasks of sessions in which nothing has happened since a time and nothing can happen any more: each task is
 * over, and no question is pending. A task without a session counts alone.
 */
export function finishedBefore(facts: Facts, ms: number): readonly Task[] {
  const { tasks, attempts, sessions } = facts;
  const asked = openAmong(facts, new Map(tasks.map((task) => [task.key, task])));
  const askedAbout = new Set(asked.map(({ task }) => task));
  const attemptOf = new Map(attempts.map((attempt) => [attempt.task, attempt]));
  const sessionOf = new Map(sessions.map((session) => [session.name, session]));
  const over = new Set(overTasks(facts));
  const lastOf = ({ key, updatedAt }: Task) => {
    const attempt = attemptOf.get(key);
    return Math.max(Date.parse(updatedAt), Date.parse(attempt?.endedAt ?? attempt?.beatAt ?? updatedAt));
  };
  const groups = Map.groupBy(tasks, ({ key, session }) => session ?? `/${key}`);
  return [...groups].flatMap(([name, group]) => {
    const session = sessionOf.get(name);
    const isOpen = session !== undefined && !isSessionOver(session);
    const times = [...group.map(lastOf), ...(session === undefined ? [] : [Date.parse(session.updatedAt)])];
    const isDone = group.every((task) => (isMeta(task.key) || over.has(task)) && !askedAbout.has(task.key));
    return isDone && !isOpen && Math.max(...times) < ms ? group : [];
  });
}

/** Tasks that no agent or person works on any more, including unfinished tasks of an abandoned session. */
export function overTasks({ tasks, attempts, sessions }: Omit<Facts, "decisions">): readonly Task[] {
  const givenUp = new Set(sessions.filter(isGivenUp).map(({ name }) => name));
  const working = new Set(attempts.filter(({ leaseState }) => leaseState !== "over").map(({ task }) => task));
  return tasks.filter(
    ({ key, state, session }) =>
      state === "MERGED" || state === "FAILED" || (givenUp.has(session ?? "") && !working.has(key)),
  );
}
