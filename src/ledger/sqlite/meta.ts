import type { Connection } from "./connection.ts";
import { insertSealed, readSealed, updateSealed } from "./sealed-rows.ts";
import { storeFault } from "./translate-error.ts";

/** The single values of a ledger; all exist from its creation on. */
export interface Meta {
  /** Grows by one whenever locks are taken. */
  readonly fence: number;
  /** Durable commits so far. */
  readonly commits: number;
  readonly secret: string;
  /** Digest of the definitions of all tables, indexes and triggers. */
  readonly schema: string;
}

export function readMeta<Name extends keyof Meta>(connection: Connection, name: Name): Meta[Name] {
  const value = readSealed<Meta[Name]>(connection, "meta", name);
  if (value === undefined)
    throw storeFault("corrupt", connection.place, { why: `row \`${name}\` of table meta is missing` });
  return value;
}

export function writeMeta<Name extends keyof Meta>(
  connection: Connection,
  name: Name,
  value: Meta[Name],
): void {
  updateSealed(connection, "meta", { key: name, body: JSON.stringify(value) });
}

export function createMeta(connection: Connection, meta: Meta): void {
  for (const [key, value] of Object.entries(meta))
    insertSealed(connection, "meta", { key, body: JSON.stringify(value) });
}
