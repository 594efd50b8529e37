import type { Task } from "../../core/tasks/task.ts";
import { prefixesOf } from "../lock-prefixes.ts";
import type { Problem } from "./check-events.ts";
import type { Connection, Row } from "./connection.ts";
import type { StoredLock } from "./read-locks.ts";
import type { SealedTable } from "./schema.ts";
import { damageOf, readSealed } from "./sealed-rows.ts";

const pageRows = 500;

/**
 * Yields the problems of one page at a time. Compares each row with the tables derived from it; `look` adds
 * further checks.
 */
export function* checkTable(
  connection: Connection,
  table: SealedTable,
  look: (row: { readonly key: string | number; readonly body: unknown }) => Problem[] = () => [],
): Generator<Problem[]> {
  let last: Row["key"];
  for (;;) {
    const rows =
      last === undefined
        ? connection.rows(`SELECT key, body, sum FROM ${table} ORDER BY key LIMIT ?`, pageRows)
        : connection.rows(
            `SELECT key, body, sum FROM ${table} WHERE key > ? ORDER BY key LIMIT ?`,
            last as string | number,
            pageRows,
          );
    yield rows.flatMap((row) => {
      const damage = damageOf(table, row);
      if (damage !== undefined) return [{ problem: damage }];
      const whole = { key: row.key as string | number, body: JSON.parse(row.body as string) };
      return [...checkDerived(connection, table, whole), ...look(whole)];
    });
    if (rows.length < pageRows) return;
    last = rows.at(-1)?.key;
  }
}

function checkDerived(
  connection: Connection,
  table: SealedTable,
  { key, body }: { readonly key: string | number; readonly body: unknown },
): Problem[] {
  if (table === "tasks") {
    const sql = "SELECT 1 FROM dependencies WHERE needed = ? AND task = ?";
    return (body as Task).dependsOn
      .filter((needed) => connection.row(sql, needed, key) === undefined)
      .map((needed) => ({ problem: `table dependencies lacks \`${needed}\` of task \`${key}\`` }));
  }
  if (table === "locks" && (body as StoredLock).active) {
    const sql = "SELECT 1 FROM lock_prefixes WHERE prefix = ? AND lock = ?";
    return prefixesOf(body as StoredLock)
      .filter((prefix) => connection.row(sql, prefix, key) === undefined)
      .map((prefix) => ({ problem: `table lock_prefixes lacks \`${prefix}\` of lock ${key}` }));
  }
  return [];
}

/** The opposite direction: rows of derived tables that belong to no row. */
export function* checkDependencies(connection: Connection): Generator<Problem[]> {
  let last = { needed: "", task: "" };
  // Cache: each task is read once, however many dependencies it has.
  const known = new Map<string, ReadonlySet<string>>();
  const neededBy = (task: string) => {
    const found = known.get(task) ?? new Set(readSealed<Task>(connection, "tasks", task)?.dependsOn);
    known.set(task, found);
    return found;
  };
  for (;;) {
    const rows = connection.rows(
      "SELECT needed, task FROM dependencies WHERE (needed, task) > (?, ?) ORDER BY needed, task LIMIT ?",
      last.needed,
      last.task,
      pageRows,
    ) as { needed: string; task: string }[];
    yield rows
      .filter(({ needed, task }) => !neededBy(task).has(needed))
      .map(({ needed, task }) => ({
        problem: `table dependencies has \`${needed}\` of task \`${task}\`, which does not depend on it`,
      }));
    if (rows.length < pageRows) return;
    last = rows.at(-1) ?? last;
  }
}

export function* checkPrefixes(connection: Connection): Generator<Problem[]> {
  let last = { prefix: "", lock: -1 };
  for (;;) {
    const rows = connection.rows(
      "SELECT prefix, lock FROM lock_prefixes WHERE (prefix, lock) > (?, ?) ORDER BY prefix, lock LIMIT ?",
      last.prefix,
      last.lock,
      pageRows,
    ) as { prefix: string; lock: number }[];
    yield rows
      .filter(({ prefix, lock }) => {
        const stored = readSealed<StoredLock>(connection, "locks", lock);
        return stored?.active !== true || !prefixesOf(stored).includes(prefix);
      })
      .map(({ prefix, lock }) => ({
        problem: `table lock_prefixes has \`${prefix}\` of lock ${lock}, which does not have it`,
      }));
    if (rows.length < pageRows) return;
    last = rows.at(-1) ?? last;
  }
}
