import type { Lock } from "../ledger.ts";
import { ancestorsOf } from "../lock-prefixes.ts";
import type { Connection } from "./connection.ts";
import { listSealed, readSealed } from "./sealed-rows.ts";
import { storeFault } from "./translate-error.ts";

/** A lock as it is stored, under its id. */
export type StoredLock = Omit<Lock, "id">;

export function readLocks(
  connection: Connection,
  { task, active }: { readonly task?: string; readonly active?: boolean } = {},
): Lock[] {
  const conditions = [
    ...(task === undefined ? [] : ["task = ?"]),
    // A literal, because with a bound variable SQLite could not use the index of active locks.
    ...(active === undefined ? [] : [`active = ${active ? 1 : 0}`]),
  ];
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const values = task === undefined ? [] : [task];
  const found = listSealed<StoredLock>(connection, { table: "locks", rest: `${where} ORDER BY key`, values });
  return found.map(({ key, value }) => ({ id: key as number, ...value }));
}

export function readLocksOnResources(connection: Connection, names: readonly string[]): Lock[] {
  const rest = "WHERE resource = ? AND active = 1 AND kind = 'resource'";
  const found = [...new Set(names)].flatMap((name) =>
    listSealed<StoredLock>(connection, { table: "locks", rest, values: [name] }),
  );
  return found
    .map(({ key, value }) => ({ id: key as number, ...value }))
    .sort((one, other) => one.id - other.id);
}

export function readLocksNear(connection: Connection, prefixes: readonly string[]): Lock[] {
  const asked = new Set(prefixes.map((prefix) => prefix.toWellFormed()));
  const ids = new Set<number>();
  const add = (condition: string, ...values: string[]) => {
    for (const { lock } of connection.rows(`SELECT lock FROM lock_prefixes WHERE ${condition}`, ...values))
      ids.add(lock as number);
  };
  if (asked.has("")) add("TRUE");
  else {
    const above = new Set([...asked].flatMap(ancestorsOf));
    for (const prefix of new Set([...above, ...asked])) add("prefix = ?", prefix);
    // `0` is the character after `/`, so this range contains everything below the prefix.
    for (const prefix of asked) add("prefix >= ? AND prefix < ?", `${prefix}/`, `${prefix}0`);
  }
  return [...ids].sort((one, other) => one - other).map((id) => activeLock(connection, id));
}

function activeLock(connection: Connection, id: number): Lock {
  const stored = readSealed<StoredLock>(connection, "locks", id);
  if (stored?.active !== true)
    throw storeFault("corrupt", connection.place, {
      why: `table lock_prefixes names lock ${id}, which is not active`,
    });
  return { id, ...stored };
}
