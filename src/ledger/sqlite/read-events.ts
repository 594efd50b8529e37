import { beginning, type Tail } from "../event-chain.ts";
import type { EventFilter, LedgerEvent } from "../ledger.ts";
import type { Connection } from "./connection.ts";
import { listSealed } from "./sealed-rows.ts";

export function readEvents(connection: Connection, filter: EventFilter = {}): LedgerEvent[] {
  const { task, type, after, before, limit = -1, newestFirst = false } = filter;
  const conditions: [sql: string, value: string | number | undefined][] = [
    ["task = ?", task],
    // A task has fewer events than an event type: the plus sign keeps SQLite from using the index of types.
    [task === undefined ? "type = ?" : "+type = ?", type],
    ["key > ?", after],
    ["key < ?", before],
  ];
  const asked = conditions.filter((one): one is [string, string | number] => one[1] !== undefined);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([sql]) => sql).join(" AND ")}`;
  return listSealed<Omit<LedgerEvent, "seq">>(connection, {
    table: "events",
    rest: `${where} ORDER BY key ${newestFirst ? "DESC" : "ASC"} LIMIT ?`,
    values: [...asked.map(([, value]) => value), limit],
  }).map(({ key, value }) => ({ seq: key as number, ...value }));
}

export function readTail(connection: Connection): Tail {
  return readEvents(connection, { newestFirst: true, limit: 1 })[0] ?? beginning;
}
