import { randomBytes } from "node:crypto";
import pg from "pg";
import { type PostgresServer, sharedServer } from "./postgres-server.ts";

/** A database with an empty ledger, which the next test reuses. */
export interface LedgerDatabase {
  readonly name: string;
  readonly server: PostgresServer;
  /** As a machine, which may only call the ledger's functions and read. */
  readonly url: string;
  /** As the owner of the ledger. */
  raw(sql: string): Promise<Record<string, unknown>[]>;
  /** Empties it. */
  free(): Promise<void>;
}

const free: (LedgerDatabase & { readonly client: pg.Client })[] = [];
let made = 0;

export async function takeDatabase(): Promise<LedgerDatabase> {
  const found = free.pop();
  if (found !== undefined) return found;
  const server = await sharedServer();
  made += 1;
  const name = `ledger_${process.pid}_${made}`;
  await server.query("postgres", `CREATE DATABASE ${name} TEMPLATE template_ledger`);
  const client = new pg.Client({ connectionString: server.url(name) });
  client.on("error", () => {}); // a test may restart the server
  await client.connect();
  const raw = async (sql: string) => (await client.query(sql)).rows ?? [];
  const database = {
    ...{ name, server, client, raw, url: server.url(name, "machine") },
    free: async () => {
      await raw(emptying(randomBytes(32).toString("hex")));
      free.push(database);
    },
  };
  await raw(emptying(randomBytes(32).toString("hex")));
  return database;
}

/** Closes the connections that this file's tests used. */
export async function closeDatabases(): Promise<void> {
  await Promise.all(free.splice(0).map(({ client }) => client.end()));
}

const tables =
  "machines answers settings requests tasks dependencies attempts locks lock_prefixes events intents decisions sessions roles evidence archived logs";

/** Bypasses the triggers that would refuse it. */
const emptying = (secret: string) => `
BEGIN;
SET LOCAL session_replication_role = replica;
${tables
  .split(" ")
  .map((table) => `DELETE FROM lockstep.${table};`)
  .join("\n")}
UPDATE lockstep.meta SET fence = 0, commits = 0, seq = 0, hash = repeat('0', 64), loss = NULL, version = 2,
  secret = '${secret}', name = '${secret.slice(0, 16)}';
UPDATE lockstep.clock SET ms = 0, grace_ms = 0;
COMMIT;`;
