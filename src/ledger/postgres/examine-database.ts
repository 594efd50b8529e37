import { Connection } from "./connection.ts";
import { readCurrentMeta } from "./migrations.ts";

/** What `doctor` tells of the database under a ledger. */
export interface DatabaseFacts {
  readonly place: string;
  /** The server's. */
  readonly version: string;
  readonly ledgerVersion: number;
  readonly roundTripMs: number;
  readonly user: string;
  /** The user could change or delete events past the ledger's functions. */
  readonly mayChangeEvents: boolean;
  readonly hasTls: boolean;
  /** How far this machine's wall clock is ahead of the server's. */
  readonly aheadMs: number;
  readonly waitsForDisk: boolean;
}

export async function examineDatabase(url: string, waitMs: number): Promise<DatabaseFacts> {
  const connection = await Connection.open({ url, waitMs });
  try {
    const { version: ledgerVersion } = await readCurrentMeta(connection);
    const startMs = performance.now();
    const [row] = await connection.rows<
      Omit<DatabaseFacts, "place" | "ledgerVersion" | "roundTripMs"> & { nowMs: number }
    >(
      `SELECT current_setting('server_version') AS version, current_user AS user,
        has_table_privilege('lockstep.events', 'UPDATE, DELETE') AS "mayChangeEvents",
        coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "hasTls",
        current_setting('synchronous_commit') <> 'off' AS "waitsForDisk",
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`,
    );
    if (row === undefined) throw new Error("the database gave no answer");
    const roundTripMs = performance.now() - startMs;
    const { nowMs, ...facts } = row;
    return {
      place: connection.place,
      ledgerVersion,
      roundTripMs,
      ...facts,
      aheadMs: Date.now() - roundTripMs / 2 - nowMs,
    };
  } finally {
    connection.close();
  }
}
