import { existsSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { createHead, type Head, headFileName, readHead } from "../audit-head.ts";
import { Connection } from "./connection.ts";
import { databaseName, syncFolder } from "./ledger-files.ts";
import { headOf } from "./open-head.ts";
import { translateError } from "./translate-error.ts";

export interface AcceptedLoss {
  /** How far the ledger had come before, where that is known. */
  readonly before: Head | undefined;
  /** What it goes on from; undefined where nothing is left and the next opening may make a new one. */
  readonly now: Head | undefined;
  /** What was moved aside. */
  readonly kept: readonly string[];
}

/** A person says that what is missing is gone: the ledger goes on from what is there. Nothing is deleted. */
export async function acceptLoss(folder: string, at: Date): Promise<AcceptedLoss> {
  try {
    const path = join(folder, databaseName);
    const head = readHead(folder);
    const isEmpty = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
    const now = isEmpty ? undefined : await readNow(path);
    const stale = isEmpty ? [`${databaseName}-wal`, `${databaseName}-shm`] : [];
    const kept = moveAside(folder, [headFileName, ...stale], at);
    if (now !== undefined) createHead(folder, now);
    syncFolder(folder);
    return { before: typeof head === "string" ? undefined : head, now, kept };
  } catch (error) {
    throw translateError(error, folder);
  }
}

async function readNow(path: string): Promise<Head> {
  const connection = new Connection(path);
  try {
    return await connection.snapshot(() => headOf(connection));
  } finally {
    connection.close();
  }
}

function moveAside(folder: string, names: readonly string[], at: Date): string[] {
  const end = `.lost-${at.toISOString().replace(/[-:.]/g, "")}`;
  return names
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .map((path) => {
      renameSync(path, path + end);
      return path + end;
    });
}
