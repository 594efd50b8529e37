import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkDependencies, checkPrefixes, checkTable } from "./check-rows.ts";
import type { Connection } from "./connection.ts";
import { sealedTables } from "./schema.ts";
import { storeFault } from "./translate-error.ts";

/** A ledger up to this size is checked at every opening. */
const alwaysBytesMax = 1024 * 1024;
const periodMs = 3_600_000;

/**
 * Looks for damage before any data is used. Opening a ledger must not slow down as the ledger grows, so a big
 * ledger is checked once an hour, by the first process that opens it. Each row is also checked when it is read.
 */
export function checkIntegrity(
  connection: Connection,
  { folder, urgent }: { readonly folder: string; readonly urgent: boolean },
): void {
  const isSmall = (statSync(connection.place, { throwIfNoEntry: false })?.size ?? 0) <= alwaysBytesMax;
  const mark = join(folder, "checked");
  if (!isSmall) {
    const ageMs = Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (urgent || (ageMs >= 0 && ageMs < periodMs)) return;
    // Written before the check, so that other processes that open the ledger meanwhile do not check it too.
    writeFileSync(mark, "", { mode: 0o600 });
  }
  const damage = findDamage(connection);
  if (damage === undefined) return;
  rmSync(mark, { force: true });
  throw storeFault("corrupt", connection.place, { why: damage });
}

function findDamage(connection: Connection): string | undefined {
  const [row = {}] = connection.rows("PRAGMA integrity_check(1)");
  const [answer] = Object.values(row);
  if (answer !== "ok") return String(answer);
  // A table can be missing in a ledger of an older version. The schema digest was compared before.
  const has = (table: string) =>
    connection.row("SELECT 1 FROM sqlite_schema WHERE name = ?", table) !== undefined;
  const checks = [
    // A damaged row of evidence counts as missing, so it is not a reason to refuse the ledger.
    ...sealedTables
      .filter((table) => table !== "evidence" && has(table))
      .map((table) => checkTable(connection, table)),
    checkDependencies(connection),
    checkPrefixes(connection),
  ];
  for (const check of checks)
    for (const [problem] of check) if (problem !== undefined) return problem.problem;
  return undefined;
}
