import { hash } from "node:crypto";
import { assertStorable } from "../storable.ts";
import type { Connection, Row } from "./connection.ts";
import type { SealedTable } from "./schema.ts";
import { storeFault } from "./translate-error.ts";

const sumLength = 16;

/** Detects damage, not manipulation: a process that can write the file can also compute the sum. */
function sumOf(table: SealedTable, key: string | number, body: string): string {
  return hash("sha256", `${table}\0${key}\0${body}`).slice(0, sumLength);
}

/** The body of a row; throws if it does not match its sum. */
function unseal<T>(connection: Connection, table: SealedTable, row: Row): T {
  const damage = damageOf(table, row);
  if (damage !== undefined) throw storeFault("corrupt", connection.place, { why: damage });
  return JSON.parse(row.body as string) as T;
}

export function damageOf(table: SealedTable, { key, body, sum }: Row): string | undefined {
  const whole = typeof body === "string" && sumOf(table, key as string | number, body) === sum;
  return whole ? undefined : `row \`${String(key)}\` of table ${table} does not match its sum`;
}

export function readSealed<T>(
  connection: Connection,
  table: SealedTable,
  key: string | number,
): T | undefined {
  const row = connection.row(`SELECT key, body, sum FROM ${table} WHERE key = ?`, key);
  return row === undefined ? undefined : unseal<T>(connection, table, row);
}

/** For data that can be recomputed: a damaged row counts as missing, and the next write replaces it. */
export function readWhole<T>(connection: Connection, table: SealedTable, key: string): T | undefined {
  const row = connection.row(`SELECT key, body, sum FROM ${table} WHERE key = ?`, key);
  return row === undefined || damageOf(table, row) !== undefined ? undefined : JSON.parse(row.body as string);
}

/** All rows that match; `rest` is the part of the query after `FROM table`. */
export function listSealed<T>(
  connection: Connection,
  { table, rest, values = [] }: { table: SealedTable; rest: string; values?: (string | number | null)[] },
): { readonly key: string | number; readonly value: T }[] {
  return connection
    .rows(`SELECT key, body, sum FROM ${table} ${rest}`, ...values)
    .map((row) => ({ key: row.key as string | number, value: unseal<T>(connection, table, row) }));
}

/** A row before its sum is computed. */
interface Unsealed {
  readonly key: string | number;
  readonly body: string;
}

export function insertSealed(connection: Connection, table: SealedTable, { key, body }: Unsealed): void {
  if (typeof key === "string") assertStorable(key);
  const sum = sumOf(table, key, body);
  connection.run(`INSERT INTO ${table} (key, body, sum) VALUES (?, ?, ?)`, key, body, sum);
}

export function updateSealed(connection: Connection, table: SealedTable, { key, body }: Unsealed): void {
  const sum = sumOf(table, key, body);
  connection.run(`UPDATE ${table} SET body = ?, sum = ? WHERE key = ?`, body, sum, key);
}

/** The next number in a table with numbered rows. Rows are never deleted, so no number is used twice. */
export function nextKey(connection: Connection, table: SealedTable): number {
  return connection.row(`SELECT coalesce(max(key), 0) + 1 AS next FROM ${table}`)?.next as number;
}
