import { randomBytes } from "node:crypto";
import type { PoolClient } from "pg";
import { beginning } from "../event-chain.ts";
import type { Connection } from "./connection.ts";
import { functions, machineRights, steps } from "./schema.ts";
import { postgresFault } from "./translate-error.ts";

export const knownVersion = steps.length;

export interface Meta {
  readonly version: number;
  /** The Lockstep that migrated it. */
  readonly lockstep: string;
  readonly name: string;
  readonly secret: string;
  readonly loss: string | null;
}

/** Undefined if the database has no ledger; throws if its schema `lockstep` is not one. */
async function readMeta(connection: Connection): Promise<Meta | undefined> {
  const [found] = await connection.rows<{ hasSchema: boolean; hasMeta: boolean; mayRead: boolean | null }>(
    `SELECT to_regnamespace('lockstep') IS NOT NULL AS "hasSchema",
      EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'lockstep' AND c.relname = 'meta') AS "hasMeta"`,
  );
  if (found?.hasSchema !== true) return undefined;
  if (!found.hasMeta)
    throw postgresFault("corrupt", connection.place, { why: "its schema `lockstep` is not a ledger" });
  const [meta] = await connection.rows<Meta & Record<string, unknown>>(
    "SELECT version, lockstep, name, secret, loss FROM lockstep.meta",
  );
  if (meta === undefined)
    throw postgresFault("corrupt", connection.place, { why: "its table meta is empty" });
  return meta;
}

/** The ledger's row of single values, of exactly the version that this Lockstep knows. */
export async function readCurrentMeta(connection: Connection): Promise<Meta> {
  const meta = await readMeta(connection);
  if (meta === undefined)
    throw postgresFault("gone", connection.place, { why: "its database has no schema `lockstep`" });
  refuseNewer(connection, meta);
  if (meta.version < knownVersion)
    throw postgresFault("network", connection.place, {
      why: `it has version ${meta.version}, this Lockstep needs ${knownVersion}: run \`lockstep ledger migrate\``,
    });
  return meta;
}

function refuseNewer(connection: Connection, { version, lockstep }: Meta): void {
  if (version > knownVersion) throw newerFault(connection.place, { version, lockstep });
}

export function newerFault(place: string, { version, lockstep }: Pick<Meta, "version" | "lockstep">) {
  return postgresFault("newer", place, {
    why: `it has version ${version}, this Lockstep knows ${knownVersion}: install Lockstep ${lockstep} or later`,
  });
}

/** Creates or upgrades the ledger in one transaction under a lock, and gives the machine role its rights. */
export async function migrate(
  connection: Connection,
  { lockstep, machine }: { readonly lockstep: string; readonly machine: string },
): Promise<{ readonly from: number; readonly to: number }> {
  const before = await readMeta(connection);
  if (before !== undefined) refuseNewer(connection, before);
  return connection.transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('lockstep.migrate'))");
    const { rows: encodings } = await client.query("SHOW server_encoding");
    if (encodings[0]?.server_encoding !== "UTF8")
      throw postgresFault("corrupt", connection.place, { why: "its encoding is not UTF8" });
    const { rows: schemas } = await client.query("SELECT to_regclass('lockstep.meta') IS NOT NULL AS there");
    const { rows: metas } = schemas[0]?.there
      ? await client.query("SELECT version FROM lockstep.meta")
      : { rows: [] };
    const from: number = metas[0]?.version ?? 0;
    if (from < knownVersion) await upgrade(client, from, lockstep);
    await grant(client, machine);
    return { from, to: knownVersion };
  });
}

async function upgrade(client: PoolClient, from: number, lockstep: string): Promise<void> {
  for (const step of steps.slice(from)) await client.query(step);
  await client.query(functions);
  if (from === 0) await begin(client, lockstep);
  else await client.query("UPDATE lockstep.meta SET version = $1, lockstep = $2", [knownVersion, lockstep]);
}

async function begin(client: PoolClient, lockstep: string): Promise<void> {
  const random = (bytes: number) => randomBytes(bytes).toString("hex");
  await client.query(
    `INSERT INTO lockstep.meta (version, lockstep, name, secret, fence, commits, seq, hash)
     VALUES ($1, $2, $3, $4, 0, 0, 0, $5)`,
    [knownVersion, lockstep, random(8), random(32), beginning.hash],
  );
  await client.query(
    "INSERT INTO lockstep.clock (ms, server_ms, identity, grace_ms) VALUES (0, 0, lockstep.server_identity(), 0)",
  );
}

async function grant(client: PoolClient, machine: string): Promise<void> {
  const { rows } = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [machine]);
  const name = `"${machine.replaceAll('"', '""')}"`;
  if (rows.length === 0) await client.query(`CREATE ROLE ${name} NOLOGIN`);
  await client.query(machineRights(name));
}
