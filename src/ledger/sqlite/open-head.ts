import { hash } from "node:crypto";
import { createHead, type Head, HeadFile, headFileName, readHead } from "../audit-head.ts";
import type { OutsideHead } from "../outside-head.ts";
import { findLoss, type KnownHead } from "./check-events.ts";
import type { Connection } from "./connection.ts";
import { syncFolder } from "./ledger-files.ts";
import { readMeta } from "./meta.ts";
import { readTail } from "./read-events.ts";
import { storeFault } from "./translate-error.ts";

/** Compares the ledger with its heads, and advances the head file next to it if a crash prevented that. */
export async function openHead(
  connection: Connection,
  folder: string,
  outside: OutsideHead | undefined,
): Promise<HeadFile> {
  let seen = await look(connection, folder, outside);
  // A new ledger gets its head file after its tables: the file may just have been created by another process.
  if (seen.loss !== undefined) seen = await look(connection, folder, outside);
  if (seen.loss !== undefined) throw storeFault("lost", connection.place, { why: seen.loss.problem });
  if (seen.isNew) {
    createHead({ folder }, seen.now);
    syncFolder(folder);
  }
  const file = new HeadFile({ folder });
  file.advance(seen.now);
  return file;
}

/** The heads are read first: the ledger may be ahead of them, but never behind. */
function look(connection: Connection, folder: string, outside: OutsideHead | undefined) {
  const [own, ...others] = readHeads(folder, outside);
  return connection.snapshot(() => {
    const now = headOf(connection);
    const isNew = own.head === "missing" && now.commits === 0;
    const heads = isNew ? others : [own, ...others];
    const loss = heads.map((head) => findLoss(connection, head)).find((found) => found !== undefined);
    return { now, isNew, loss };
  });
}

/** The head beside the ledger, and the one in another place where that has one. */
export function readHeads(
  folder: string,
  outside: OutsideHead | undefined,
): readonly [KnownHead, ...KnownHead[]] {
  const known = outside?.read() ?? "missing";
  return [
    { file: headFileName, head: readHead({ folder }) },
    ...(outside === undefined || known === "missing" ? [] : [{ file: outside.path, head: known }]),
  ];
}

/** Tells ledgers apart: no two have the same secret, and this does not tell it. */
export function nameOf(connection: Connection): string {
  return hash("sha256", `the name of a ledger\n${readMeta(connection, "secret")}`).slice(0, 16);
}

export function headOf(connection: Connection): Head {
  return { ...readTail(connection), commits: readMeta(connection, "commits") };
}
