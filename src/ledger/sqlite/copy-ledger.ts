import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../core/session/session.ts";
import type { Task } from "../../core/tasks/task.ts";
import { createHead, headFileName } from "../audit-head.ts";
import { canonicalJson } from "../event-chain.ts";
import type { Answered, Attempt, Decision, Role, StoredRun } from "../ledger.ts";
import type { LedgerCopy } from "../ledger-copy.ts";
import { prefixesOf } from "../lock-prefixes.ts";
import { attemptKey } from "../written-documents.ts";
import { Connection } from "./connection.ts";
import { databaseName, syncFolder } from "./ledger-files.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { migrate, migrations } from "./migrations.ts";
import { headOf } from "./open-head.ts";
import { readEvents } from "./read-events.ts";
import { readLocks } from "./read-locks.ts";
import type { StoredIntent } from "./read-tasks.ts";
import type { SealedTable } from "./schema.ts";
import { insertSealed, listSealed } from "./sealed-rows.ts";

/** Reads the whole ledger in one transaction. */
export async function readSqliteCopy(folder: string): Promise<LedgerCopy> {
  const connection = new Connection(join(folder, databaseName));
  try {
    return await connection.snapshot(() => copyOf(connection));
  } finally {
    connection.close();
  }
}

function copyOf(connection: Connection): LedgerCopy {
  const all = <T>(table: SealedTable) => listSealed<T>(connection, { table, rest: "ORDER BY key" });
  const values = <T>(table: SealedTable) => all<T>(table).map(({ value }) => value);
  return {
    secret: readMeta(connection, "secret"),
    fence: readMeta(connection, "fence"),
    commits: readMeta(connection, "commits"),
    events: readEvents(connection),
    tasks: values<Task>("tasks"),
    attempts: values<Attempt>("attempts"),
    decisions: values<Decision>("decisions"),
    sessions: values<Session>("sessions"),
    roles: values<Role>("roles"),
    locks: readLocks(connection),
    intents: all<StoredIntent>("intents").map(({ key, value }) => ({ id: key as number, ...value })),
    settings: all<unknown>("settings").map(({ key, value }) => [key as string, value] as const),
    requests: all<Answered>("requests").map(({ key, value }) => [key as string, value] as const),
    evidence: values<StoredRun>("evidence"),
  };
}

/** Writes a new ledger next to the one in the folder, then replaces it. The old files are renamed, not deleted. */
export async function writeSqliteCopy(
  folder: string,
  copy: LedgerCopy,
  at: Date,
): Promise<readonly string[]> {
  const beside = mkdtempSync(join(folder, ".copy-"));
  try {
    const connection = new Connection(join(beside, databaseName));
    try {
      await migrate(connection, migrations);
      await connection.write(() => fill(connection, copy), { durable: true });
      createHead({ folder: beside }, await connection.snapshot(() => headOf(connection)));
    } finally {
      connection.close();
    }
    const end = `.moved-${at.toISOString().replace(/[-:.]/g, "")}`;
    const names = [databaseName, `${databaseName}-wal`, `${databaseName}-shm`, headFileName];
    const kept = names.map((name) => join(folder, name)).filter((path) => existsSync(path));
    for (const path of kept) renameSync(path, path + end);
    for (const name of readdirSync(beside)) renameSync(join(beside, name), join(folder, name));
    syncFolder(folder);
    return kept.map((path) => path + end);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function fill(connection: Connection, copy: LedgerCopy): void {
  const put = (table: SealedTable, key: string | number, value: unknown) =>
    insertSealed(connection, table, { key, body: JSON.stringify(value) });
  for (const { seq, ...event } of copy.events)
    insertSealed(connection, "events", { key: seq, body: canonicalJson(event) });
  for (const task of copy.tasks) {
    put("tasks", task.key, task);
    for (const needed of new Set(task.dependsOn))
      connection.run("INSERT INTO dependencies (needed, task) VALUES (?, ?)", needed, task.key);
  }
  for (const attempt of copy.attempts) put("attempts", attemptKey(attempt), attempt);
  for (const decision of copy.decisions) put("decisions", decision.id, decision);
  for (const session of copy.sessions) put("sessions", session.name, session);
  for (const role of copy.roles) put("roles", role.name, role);
  for (const { id, ...lock } of copy.locks) {
    put("locks", id, lock);
    for (const prefix of lock.active ? prefixesOf(lock) : [])
      connection.run("INSERT INTO lock_prefixes (prefix, lock) VALUES (?, ?)", prefix, id);
  }
  for (const { id, ...intent } of copy.intents) put("intents", id, intent);
  for (const [key, value] of copy.settings) put("settings", key, value);
  for (const [key, answered] of copy.requests) put("requests", key, answered);
  for (const run of copy.evidence) put("evidence", run.key, run);
  for (const name of ["secret", "fence", "commits"] as const) writeMeta(connection, name, copy[name]);
}
