import type { Head, ReadHead } from "../audit-head.ts";
import type { Connection } from "./connection.ts";

/** What a head that a machine keeps records, and the ledger lacks. */
export async function findLoss(connection: Connection, head: ReadHead): Promise<string | undefined> {
  if (head === "missing") return undefined;
  if (head === "unreadable") return "the record of it on this machine cannot be read";
  const now = await readTail(connection, head.seq);
  if (head.seq > now.seq) {
    const [first, last] = [now.seq + 1, head.seq];
    return `${first === last ? `event ${first} is` : `events ${first} to ${last} are`} missing at the end`;
  }
  if (head.seq > 0 && now.hashThere !== head.hash)
    return `event ${head.seq} is not the one that this machine knows`;
  const lost = head.commits - now.commits;
  return lost > 0 ? `the last ${lost} changes are missing` : undefined;
}

export async function readTail(
  connection: Connection,
  at = 0,
): Promise<Head & { readonly hashThere: string | null }> {
  const [row] = await connection.rows<Head & { readonly hashThere: string | null }>(
    `SELECT seq::float8, hash, commits::float8,
      (SELECT e.hash FROM lockstep.events e WHERE e.seq = $1) AS "hashThere" FROM lockstep.meta`,
    [at],
  );
  if (row === undefined) throw new Error("the ledger has no head");
  return row;
}
