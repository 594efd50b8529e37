import type { PoolClient } from "pg";
import type { Session } from "../../core/session/session.ts";
import type { Task } from "../../core/tasks/task.ts";
import { beginning, canonicalJson } from "../event-chain.ts";
import type { Answered, Attempt, Decision, Lock, Role, StoredRun } from "../ledger.ts";
import { differenceOf, type LedgerCopy } from "../ledger-copy.ts";
import { prefixesOf } from "../lock-prefixes.ts";
import { attemptKey } from "../written-documents.ts";
import { Connection } from "./connection.ts";
import { column } from "./envelope.ts";
import { readCurrentMeta } from "./migrations.ts";
import { eventIn, lockColumns, lockIn } from "./postgres-ledger.ts";
import { postgresFault } from "./translate-error.ts";

/** Reads the whole ledger in one transaction. */
export async function readPostgresCopy(url: string): Promise<LedgerCopy> {
  const connection = await Connection.open({ url });
  try {
    await readCurrentMeta(connection);
    return await connection.transaction(async (client) => {
      await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const { rows } = await client.query("SELECT file FROM lockstep.archived LIMIT 1");
      if (rows[0] !== undefined)
        throw postgresFault("network", connection.place, {
          why: `a part of it was archived to ${rows[0].file}, and a copy would lack that: keep this ledger`,
        });
      return copyOf(client);
    });
  } finally {
    connection.close();
  }
}

async function copyOf(client: PoolClient): Promise<LedgerCopy> {
  const rows = async (sql: string) => (await client.query(sql)).rows;
  const values = async <T>(table: string) =>
    (await rows(`SELECT body FROM lockstep.${table} ORDER BY key`)).map(({ body }) => JSON.parse(body) as T);
  const pairs = async <T>(table: string) =>
    (await rows(`SELECT key, body FROM lockstep.${table} ORDER BY key`)).map(
      ({ key, body }) => [key as string, JSON.parse(body) as T] as const,
    );
  const [meta] = await rows("SELECT secret, fence::float8, commits::float8 FROM lockstep.meta");
  const intents = await rows("SELECT id::float8, body, done FROM lockstep.intents ORDER BY id");
  return {
    secret: meta.secret,
    fence: meta.fence,
    commits: meta.commits,
    events: (await rows("SELECT body, hash FROM lockstep.events ORDER BY seq")).map(eventIn),
    tasks: await values<Task>("tasks"),
    attempts: await values<Attempt>("attempts"),
    decisions: await values<Decision>("decisions"),
    sessions: await values<Session>("sessions"),
    roles: await values<Role>("roles"),
    locks: (await rows(`SELECT ${lockColumns} FROM lockstep.locks ORDER BY id`)).map(lockIn),
    intents: intents.map(({ id, body, done }) => ({ id, ...JSON.parse(body), done })),
    settings: await pairs<unknown>("settings"),
    requests: await pairs<Answered>("requests"),
    evidence: await values<StoredRun>("evidence"),
  };
}

/** Fills an empty ledger. Only its owner may: a machine has no right to write the tables. */
export async function writePostgresCopy(url: string, copy: LedgerCopy): Promise<void> {
  const connection = await Connection.open({ url });
  try {
    await readCurrentMeta(connection);
    await connection.transaction(async (client) => {
      const { rows } = await client.query("SELECT commits, seq FROM lockstep.meta FOR UPDATE");
      if (Number(rows[0]?.commits) > 0 || Number(rows[0]?.seq) > 0) {
        // An earlier move may have been interrupted after its commit.
        if (differenceOf(copy, await copyOf(client)) === undefined) return;
        throw postgresFault("network", connection.place, {
          why: "it is not empty: move the ledger into a new database",
        });
      }
      await fill(client, copy);
    });
  } finally {
    connection.close();
  }
}

/** Enough rows for one statement. */
const pageRows = 500;

async function fill(client: PoolClient, copy: LedgerCopy): Promise<void> {
  for (const [table, rows] of Object.entries(rowsOf(copy)))
    for (let at = 0; at < rows.length; at += pageRows)
      await client.query(
        `INSERT INTO lockstep.${table} SELECT * FROM jsonb_populate_recordset(NULL::lockstep.${table}, $1)`,
        [JSON.stringify(rows.slice(at, at + pageRows))],
      );
  const { secret, fence, commits } = copy;
  const { seq, hash } = copy.events.at(-1) ?? beginning;
  const sql = "UPDATE lockstep.meta SET secret = $1, fence = $2, commits = $3, seq = $4, hash = $5";
  await client.query(sql, [secret, fence, commits, seq, hash]);
}

function rowsOf(copy: LedgerCopy): Readonly<Record<string, readonly object[]>> {
  const document = (key: string, value: { readonly version: number }) => ({
    ...{ key, version: value.version, body: canonicalJson(value) },
  });
  return {
    events: copy.events.map(({ hash, ...event }) => ({
      ...{ seq: event.seq, body: canonicalJson(event), hash },
      ...{ task: column(event.task), type: column(event.type) },
    })),
    tasks: copy.tasks.map((task) => ({
      ...document(task.key, task),
      ...{ state: task.state, session: column(task.session), waits_for: column(task.hold?.by) },
    })),
    dependencies: copy.tasks.flatMap(({ key, dependsOn }) =>
      [...new Set(dependsOn)].map((needed) => ({ needed, task: key })),
    ),
    attempts: copy.attempts.map((attempt) => ({
      ...document(attemptKey(attempt), attempt),
      ...{ task: attempt.task, number: attempt.number, lease_state: attempt.leaseState },
    })),
    decisions: copy.decisions.map((one) => ({ ...document(one.id, one), state: one.state })),
    sessions: copy.sessions.map((one) => document(one.name, one)),
    roles: copy.roles.map((one) => ({ ...document(one.name, one), epoch: one.epoch })),
    ...lockRows(copy.locks),
    intents: copy.intents.map(({ id, done, ...intent }) => ({ id, body: canonicalJson(intent), done })),
    settings: copy.settings.map(([key, value]) => ({ key, body: canonicalJson(value) })),
    requests: copy.requests.map(([key, value]) => ({ key, body: canonicalJson(value) })),
    evidence: copy.evidence.map((run) => ({
      ...{ key: run.key, body: canonicalJson(run), failed: run.exit !== 0 },
    })),
  };
}

function lockRows(locks: readonly Lock[]) {
  return {
    locks: locks.map(({ id, active, releasedAt, ...lock }) => ({
      ...{ id, body: canonicalJson(lock), task: lock.task, kind: lock.kind },
      ...{ resource: column(lock.resource), active, released_at: releasedAt },
    })),
    lock_prefixes: locks
      .filter(({ active }) => active)
      .flatMap((lock) => prefixesOf(lock).map((prefix) => ({ prefix: column(prefix), lock: lock.id }))),
  };
}
