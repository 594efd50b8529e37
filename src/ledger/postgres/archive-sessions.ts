import { createHash, createHmac } from "node:crypto";
import type { PoolClient } from "pg";
import { isSessionOver, type Session } from "../../core/session/session.ts";
import type { Task } from "../../core/tasks/task.ts";
import { canonicalJson } from "../event-chain.ts";
import { Connection } from "./connection.ts";
import { eventRow } from "./envelope.ts";
import { readCurrentMeta } from "./migrations.ts";

interface ArchiveRequest {
  readonly url: string;
  /** Sessions that changed after it stay. */
  readonly before: Date;
  readonly at: Date;
  /** Writes the file, and returns when it is on disk. */
  write(text: string): void;
  /** For the record. */
  readonly file: string;
}

interface Archived {
  readonly sessions: readonly string[];
  readonly documents: number;
  readonly sha256: string | null;
}

/**
 * Moves the documents of finished sessions and old evidence to a file, in one transaction. Events and locks stay, so the
 * chain stays whole. The file ends with its digest and a signature under the ledger's secret, which also covers the head.
 */
export async function archiveSessions({ url, before, at, write, file }: ArchiveRequest): Promise<Archived> {
  const connection = await Connection.open({ url });
  try {
    const { secret } = await readCurrentMeta(connection);
    return await connection.transaction(async (client) => {
      const { rows: heads } = await client.query(
        "SELECT name, seq::float8, hash, commits::float8 FROM lockstep.meta FOR UPDATE",
      );
      const sessions = await finishedSessions(client, before.toISOString());
      const documents = await documentsOf(client, sessions, before.toISOString());
      if (documents.length === 0) return { sessions: [], documents: 0, sha256: null };
      const header = { archive: 1, at: at.toISOString(), head: heads[0], sessions };
      const lines = [header, ...documents].map((line) => `${canonicalJson(line)}\n`).join("");
      const sha256 = createHash("sha256").update(lines).digest("hex");
      const signature = createHmac("sha256", secret).update(sha256).digest("hex");
      write(`${lines}${canonicalJson({ sha256, signature })}\n`);
      await remove(client, sessions, { before, at: at.toISOString(), file, sha256 });
      return { sessions, documents: documents.length, sha256 };
    });
  } finally {
    connection.close();
  }
}

/** Sessions all of whose tasks ended before that time, and that nothing else waits for. */
async function finishedSessions(client: PoolClient, before: string): Promise<readonly string[]> {
  const { rows } = await client.query("SELECT session, body FROM lockstep.tasks WHERE session IS NOT NULL");
  const { rows: needed } = await client.query(
    `SELECT n.session FROM lockstep.dependencies d JOIN lockstep.tasks n ON n.key = d.needed
      JOIN lockstep.tasks t ON t.key = d.task WHERE t.session IS DISTINCT FROM n.session`,
  );
  const { rows: conducted } = await client.query("SELECT body FROM lockstep.sessions");
  const open = new Set<string>([
    ...needed.map(({ session }) => session),
    ...conducted
      .map(({ body }) => JSON.parse(body) as Session)
      .filter((session) => !isSessionOver(session))
      .map(({ name }) => name),
  ]);
  const isOver = ({ body }: { readonly body: string }) => {
    const { state, updatedAt } = JSON.parse(body) as Task;
    return (state === "MERGED" || state === "FAILED") && updatedAt < before;
  };
  const bySession = Map.groupBy(rows as { session: string; body: string }[], ({ session }) => session);
  return [...bySession]
    .filter(([session, tasks]) => !open.has(session) && tasks.every(isOver))
    .map(([session]) => session);
}

const ofSessions = "(SELECT key FROM lockstep.tasks WHERE session = ANY($1))";

const oldEvidence = "body::json->>'at' < $1";

async function documentsOf(client: PoolClient, sessions: readonly string[], before: string) {
  const read = async (table: string, where: string, value: unknown) =>
    (
      await client.query(`SELECT key, body FROM lockstep.${table} WHERE ${where} ORDER BY key`, [value])
    ).rows.map(({ key, body }) => ({ table, key, document: JSON.parse(body) }));
  return [
    ...(await read("tasks", "session = ANY($1)", sessions)),
    ...(await read("attempts", `task IN ${ofSessions}`, sessions)),
    ...(await read("evidence", oldEvidence, before)),
  ];
}

async function remove(
  client: PoolClient,
  sessions: readonly string[],
  {
    before,
    at,
    file,
    sha256,
  }: { readonly before: Date; readonly at: string; readonly file: string; readonly sha256: string },
): Promise<void> {
  await client.query(
    `INSERT INTO lockstep.archived SELECT key, $2 FROM lockstep.tasks WHERE session = ANY($1)`,
    [sessions, file],
  );
  await client.query(`DELETE FROM lockstep.attempts WHERE task IN ${ofSessions}`, [sessions]);
  await client.query(`DELETE FROM lockstep.dependencies WHERE task IN ${ofSessions}`, [sessions]);
  // A log has the name of its task, and the record of its checks that name with a word after it.
  await client.query(`DELETE FROM lockstep.logs WHERE split_part(task, ' ', 1) IN ${ofSessions}`, [sessions]);
  await client.query("DELETE FROM lockstep.tasks WHERE session = ANY($1)", [sessions]);
  await client.query(`DELETE FROM lockstep.evidence WHERE ${oldEvidence}`, [before.toISOString()]);
  const event = eventRow({
    ...{ at, type: "ledger.archived", actor: "person", cause: "archive" },
    ...{ task: null, from: null, to: null, data: { sessions, file, sha256 } },
  });
  await client.query(
    "SELECT lockstep.append_events(jsonb_build_object('events', jsonb_build_array($1::jsonb)), m) FROM lockstep.meta m",
    [JSON.stringify(event)],
  );
  await client.query("UPDATE lockstep.meta SET commits = commits + 1");
}
