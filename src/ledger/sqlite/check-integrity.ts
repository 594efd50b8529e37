import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkDependencies, checkPrefixes, checkTable } from "./check-rows.ts";
import type { Connection } from "./connection.ts";
import { sealedTables } from "./schema.ts";
import { storeFault } from "./translate-error.ts";

/** A ledger that is no bigger is checked whenever it is opened. */
const alwaysBytesMax = 1024 * 1024;
const periodMs = 3_600_000;

/**
 * Looks for damage before anything is believed. Opening must not take longer the more is stored, so a big ledger
 * is checked once an hour, by whoever opens it first; each row that is read is checked in any case.
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
    // Before the check, or all that open it meanwhile would check it too.
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
  // Tables that are missing came with later versions: the schema was compared before.
  const has = (table: string) =>
    connection.row("SELECT 1 FROM sqlite_schema WHERE name = ?", table) !== undefined;
  const checks = [
    // A damaged row of evidence counts as none, which is no reason to refuse everything else.
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
