import { statSync } from "node:fs";
import { join } from "node:path";
import type { TaskState } from "../../core/tasks/states.ts";
import { Connection } from "./connection.ts";

export interface LedgerNames {
  readonly tasks: readonly {
    readonly key: string;
    readonly state: TaskState;
    readonly title: string | null;
    readonly createdAt: string;
  }[];
  readonly sessions: readonly { readonly name: string; readonly goal: string }[];
  /** Those that are pending. */
  readonly decisions: readonly { readonly id: string; readonly task: string; readonly kind: string }[];
}

/**
 * The names in a folder's ledger, for completion: read without opening the ledger as its user, so nothing is created,
 * migrated or checked. Undefined where there is no ledger.
 */
export async function readNames(folder: string): Promise<LedgerNames | undefined> {
  const path = join(folder, "state.db");
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  const connection = new Connection(path, { readOnly: true, waitMs: 0 });
  const list = <Row>(columns: string, rest: string) =>
    connection.rows(`SELECT ${columns} FROM ${rest} ORDER BY key`) as readonly unknown[] as readonly Row[];
  try {
    return await connection.snapshot(() => ({
      tasks: list("key, state, body ->> '$.title' AS title, body ->> '$.createdAt' AS createdAt", "tasks"),
      sessions: list("key AS name, body ->> '$.goal' AS goal", "sessions"),
      decisions: list(
        "key AS id, body ->> '$.task' AS task, body ->> '$.kind' AS kind",
        "decisions WHERE state = 'pending'",
      ),
    }));
  } finally {
    connection.close();
  }
}
