import { existsSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { createHead, type Head, headFileName, readHead } from "../audit-head.ts";
import { type HeadsFolder, OutsideHead } from "../outside-head.ts";
import { Connection } from "./connection.ts";
import { databaseName, syncFolder } from "./ledger-files.ts";
import { headOf, nameOf } from "./open-head.ts";
import { translateError } from "./translate-error.ts";

export interface AcceptedLoss {
  /** The last known head before the loss, if known. */
  readonly before: Head | undefined;
  /**
   * The head that the ledger continues from; undefined if nothing is left and the next opening may create a new
   * ledger.
   */
  readonly now: Head | undefined;
  /** The files that were renamed. */
  readonly kept: readonly string[];
}

/**
 * A person confirms that the missing data is lost: the ledger continues from what is left. Files are renamed, not
 * deleted.
 */
export async function acceptLoss(folder: string, at: Date, heads?: HeadsFolder): Promise<AcceptedLoss> {
  try {
    const path = join(folder, databaseName);
    const head = readHead({ folder });
    const isEmpty = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
    const now = isEmpty ? undefined : await readNow(path);
    const stale = isEmpty ? [`${databaseName}-wal`, `${databaseName}-shm`] : [];
    using outside = now === undefined || heads === undefined ? undefined : new OutsideHead(heads, now.name);
    const names = [headFileName, ...stale].map((name) => join(folder, name));
    const kept = moveAside([...names, ...(outside === undefined ? [] : [outside.path])], at);
    if (now !== undefined) createHead({ folder }, now.head);
    if (now !== undefined) outside?.advance(now.head);
    syncFolder(folder);
    return { before: typeof head === "string" ? undefined : head, now: now?.head, kept };
  } catch (error) {
    throw translateError(error, folder);
  }
}

async function readNow(path: string): Promise<{ readonly head: Head; readonly name: string }> {
  const connection = new Connection(path);
  try {
    return await connection.snapshot(() => ({ head: headOf(connection), name: nameOf(connection) }));
  } finally {
    connection.close();
  }
}

function moveAside(paths: readonly string[], at: Date): string[] {
  const end = `.lost-${at.toISOString().replace(/[-:.]/g, "")}`;
  return paths
    .filter((path) => existsSync(path))
    .map((path) => {
      renameSync(path, path + end);
      return path + end;
    });
}
