import { createHead, type Head, HeadFile, readHead } from "../audit-head.ts";
import { findLoss } from "./check-events.ts";
import type { Connection } from "./connection.ts";
import { syncFolder } from "./ledger-files.ts";
import { readMeta } from "./meta.ts";
import { readTail } from "./read-events.ts";
import { storeFault } from "./translate-error.ts";

/** Compares the ledger with the head outside, and brings that up to date after a crash before its writing. */
export async function openHead(connection: Connection, folder: string): Promise<HeadFile> {
  let seen = await look(connection, folder);
  // A new ledger gets its head only after its tables: what is missing may just have been made.
  if (seen.loss !== undefined) seen = await look(connection, folder);
  if (seen.loss !== undefined) throw storeFault("lost", connection.place, { why: seen.loss.problem });
  if (seen.isNew) {
    createHead(folder, seen.now);
    syncFolder(folder);
  }
  const file = new HeadFile(folder);
  file.advance(seen.now);
  return file;
}

/** The head is read first: the ledger may be ahead of it, never behind. */
function look(connection: Connection, folder: string) {
  const head = readHead(folder);
  return connection.snapshot(() => {
    const now = headOf(connection);
    const isNew = head === "missing" && now.commits === 0;
    return { now, isNew, loss: isNew ? undefined : findLoss(connection, head) };
  });
}

export function headOf(connection: Connection): Head {
  return { ...readTail(connection), commits: readMeta(connection, "commits") };
}
