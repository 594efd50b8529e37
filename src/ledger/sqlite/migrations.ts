import { hash, randomBytes } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { Connection } from "./connection.ts";
import { createMeta, readMeta, writeMeta } from "./meta.ts";
import { evidenceSchema, rolesSchema, schema, sessionsSchema } from "./schema.ts";
import { storeFault } from "./translate-error.ts";

/** Upgrades a ledger from the previous version. The version is the migration's position in the list, from 1. */
export type Migration = (connection: Connection) => void;

export const migrations: readonly Migration[] = [
  (connection) => {
    connection.execute(schema);
    createMeta(connection, { fence: 0, commits: 0, secret: randomBytes(32).toString("hex"), schema: "" });
  },
  (connection) => connection.execute(evidenceSchema),
  (connection) => connection.execute(sessionsSchema),
  (connection) => connection.execute(rolesSchema),
];

/** "LkSt": identifies the database file as a ledger of Lockstep. */
const applicationId = 0x4c6b_5374;

/** The version of a ledger, 0 for a new file; throws for the file of another program or of a newer version. */
export function readVersion(connection: Connection, known: readonly Migration[]): number {
  const version = connection.pragma("user_version") as number;
  const owner = connection.pragma("application_id") as number;
  const isEmpty = connection.row("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
  if (version === 0 && owner === 0 && isEmpty) return 0;
  if (owner !== applicationId || version <= 0 || isEmpty)
    throw storeFault("corrupt", connection.place, { why: "it is not a Lockstep ledger" });
  if (version > known.length)
    throw storeFault("newer", connection.place, {
      why: `it has version ${version}, this lockstep knows ${known.length}`,
    });
  return version;
}

/**
 * Upgrades only, all migrations in one transaction. A second process that waits for the lock finds nothing left
 * to do. An older ledger is copied first, under the same lock, so that the copy matches exactly.
 */
export async function migrate(connection: Connection, known: readonly Migration[]): Promise<void> {
  if ((await connection.snapshot(() => readVersion(connection, known))) === known.length) return;
  const upgrade = () => {
    const version = readVersion(connection, known);
    if (version === known.length) return;
    if (version > 0) {
      refuseChangedSchema(connection);
      backUp(connection.place, version);
    }
    for (const migration of known.slice(version)) migration(connection);
    connection.execute(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${known.length}`);
    writeMeta(connection, "schema", schemaDigest(connection));
  };
  await connection.write(upgrade, { durable: true });
}

/** Tables, indexes and triggers must match what the migrations created: a missing trigger would hide changes. */
export function whySchemaChanged(connection: Connection): string | undefined {
  return readMeta(connection, "schema") === schemaDigest(connection)
    ? undefined
    : "its tables, indexes or triggers were changed";
}

export function refuseChangedSchema(connection: Connection): void {
  const why = whySchemaChanged(connection);
  if (why !== undefined) throw storeFault("corrupt", connection.place, { why });
}

/** Includes the version, so that a damaged version number does not start the wrong migrations. */
function schemaDigest(connection: Connection): string {
  const rows = connection.rows(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const definitions = rows.map((row) => Object.values(row));
  return hash("sha256", JSON.stringify([connection.pragma("user_version"), ...definitions]));
}

/**
 * A second connection reads the committed state while the first one prevents all other processes from changing
 * it.
 */
function backUp(path: string, version: number): void {
  const backup = `${path}.v${version}.bak`;
  const temporary = `${backup}.tmp`;
  rmSync(temporary, { force: true });
  closeSync(openSync(temporary, "wx", 0o600));
  chmodSync(temporary, 0o600);
  const reader = new Connection(path, { readOnly: true });
  try {
    reader.run("VACUUM INTO ?", temporary);
  } finally {
    reader.close();
  }
  const descriptor = openSync(temporary, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, backup);
}
