import type { Session } from "../../core/session/session.ts";
import { taskStates } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, Decision, Intent, NewIntent, Role, TaskFilter } from "../ledger.ts";
import { taskIn } from "../task-in.ts";
import type { Connection } from "./connection.ts";
import { listSealed, readSealed } from "./sealed-rows.ts";

export function readTask(connection: Connection, key: string): Task | undefined {
  const stored = readSealed<Task>(connection, "tasks", key);
  return stored === undefined ? undefined : taskIn(stored);
}

function listTasks(connection: Connection, rest: string, ...values: (string | number | null)[]): Task[] {
  return listSealed<Task>(connection, { table: "tasks", rest, values }).map(({ value }) => taskIn(value));
}

export function readTasks(connection: Connection, filter: TaskFilter = {}): Task[] {
  const { states, session, after = "", limit = -1 } = filter;
  const page = "key > ? ORDER BY key LIMIT ?";
  const list = listTasks.bind(undefined, connection);
  if (states === undefined && session === undefined) return list(`WHERE ${page}`, after, limit);
  // One query for each state: the index gives the rows of one state in key order, but not of several.
  const found = [...new Set(states ?? taskStates)].flatMap((state) =>
    session === undefined
      ? list(`WHERE state = ? AND ${page}`, state, after, limit)
      : list(`WHERE session IS ? AND state = ? AND ${page}`, session, state, after, limit),
  );
  found.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  return limit < 0 ? found : found.slice(0, limit);
}

export function readDependents(connection: Connection, key: string): Task[] {
  const rest = "WHERE key IN (SELECT task FROM dependencies WHERE needed = ?) ORDER BY key";
  return listTasks(connection, rest, key);
}

export function readWaiting(connection: Connection, key: string): Task[] {
  const rest = "WHERE waits_for = ? ORDER BY key";
  return listTasks(connection, rest, key);
}

export function readNewestAttempt(connection: Connection, task: string): Attempt | undefined {
  const rest = "WHERE task = ? ORDER BY number DESC LIMIT 1";
  return listSealed<Attempt>(connection, { table: "attempts", rest, values: [task] })[0]?.value;
}

/** The newest attempt of every task; the index alone gives the row numbers. */
export function readNewestAttempts(connection: Connection): Attempt[] {
  const newest = "SELECT max(number), rowid AS at FROM attempts GROUP BY task";
  const rest = `WHERE rowid IN (SELECT at FROM (${newest}))`;
  return listSealed<Attempt>(connection, { table: "attempts", rest }).map(({ value }) => value);
}

export function readRunningAttempts(connection: Connection): Attempt[] {
  const rest = "WHERE lease_state = 'running' ORDER BY key";
  return listSealed<Attempt>(connection, { table: "attempts", rest }).map(({ value }) => value);
}

export function readDecisions(connection: Connection, state: Decision["state"] | undefined): Decision[] {
  const rest = state === undefined ? "ORDER BY key" : "WHERE state = ? ORDER BY key";
  const values = state === undefined ? [] : [state];
  return listSealed<Decision>(connection, { table: "decisions", rest, values }).map(({ value }) => value);
}

export function readSessions(connection: Connection): Session[] {
  const rest = "ORDER BY key";
  return listSealed<Session>(connection, { table: "sessions", rest }).map(({ value }) => value);
}

export function readRoles(connection: Connection): Role[] {
  return listSealed<Role>(connection, { table: "roles", rest: "ORDER BY key" }).map(({ value }) => value);
}

/** An intent as it is stored. */
export type StoredIntent = NewIntent & { readonly done: boolean };

export function readOpenIntents(connection: Connection): Intent[] {
  const rest = "WHERE done = 0 ORDER BY key";
  return listSealed<StoredIntent>(connection, { table: "intents", rest }).map(
    ({ key, value: { done, ...intent } }) => ({ id: key as number, ...intent }),
  );
}
