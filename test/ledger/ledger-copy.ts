import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Change, Ledger } from "../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { StoreFault } from "../../src/ledger/store-fault.ts";
import {
  at,
  committed,
  creating,
  moving,
  newAttempt,
  newDecision,
  newEvent,
  newLock,
  newRole,
  newRun,
  newSession,
  newTask,
} from "./sample-documents.ts";

/** Some of each kind. Ledgers have evidence since version 2, sessions since version 3 and roles since version 4. */
export async function fillLedger(
  ledger: Ledger,
  {
    evidence = [newRun("k-1"), newRun("k-2")],
    sessions = [newSession("2026-02-14_shop")],
    roles = [newRole("integrator here main")],
  }: Pick<Change, "evidence" | "sessions" | "roles"> = {},
): Promise<void> {
  const [one, two] = [newTask("T-1", { session: "s" }), newTask("T-2", { dependsOn: ["T-1"] })];
  const waiting = newTask("T-3", { state: "BLOCKED", hold: { kind: "lock", by: "T-1" } });
  committed(await ledger.commit(creating(one, two, waiting)));
  const locks = [
    newLock("T-1", "src/a"),
    newLock("T-1", "docs/*.md"),
    newLock("T-1", "db", { kind: "resource" }),
  ];
  committed(
    await ledger.commit({
      ...moving({ ...one, version: 1 }, "IN_PROGRESS"),
      attempts: [newAttempt("T-1")],
      take: locks,
      expect: { fence: 0 },
      request: { key: "r-1", operation: "start", digest: "d", answer: { ok: true } },
    }),
  );
  committed(await ledger.commit({ take: [newLock("T-2", "lib")], expect: { fence: 1 } }));
  committed(
    await ledger.commit({
      release: { tasks: ["T-2"], at },
      decisions: [newDecision("D-1")],
      settings: { breaker: { open: true, mode: "half" } },
      intents: [{ type: "move-base", task: "T-1", epoch: 1, data: { pid: 1 } }],
      evidence,
      sessions,
      roles,
      events: [newEvent(null, { type: "breaker.opened" }), newEvent("T-2"), newEvent("T-3")],
    }),
  );
}

/** The files of a closed ledger, which can be restored into a folder again and again, also with changes. */
export class LedgerCopy {
  readonly files: ReadonlyMap<string, Buffer>;

  constructor(folder: string) {
    const names = ["state.db", "state.db-wal", "audit.head"].filter((name) => existsSync(join(folder, name)));
    this.files = new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
  }

  get(name: string): Buffer {
    return this.files.get(name) as Buffer;
  }

  /** Restores the files, some of them changed, and removes all others except the reserve. */
  restore(folder: string, changed: Readonly<Record<string, Buffer>> = {}): void {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) if (name !== "reserve") rmSync(join(folder, name));
    for (const [name, bytes] of this.files) writeFileSync(join(folder, name), changed[name] ?? bytes);
  }
}

export async function copyOfFilled(folder: string): Promise<LedgerCopy> {
  const ledger = await openSqliteLedger({ folder, create: true });
  await fillLedger(ledger);
  ledger.close();
  return new LedgerCopy(folder);
}

/** Changes the database without the ledger, as with an SQLite shell: removes the triggers and restores them. */
export function tamper(folder: string, work: (database: DatabaseSync) => void): void {
  using database = new DatabaseSync(join(folder, "state.db"));
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  work(database);
  for (const { sql } of triggers) database.exec(String(sql));
}

/** The checksum of a row, computed as in the ledger. */
export function sumOf(table: string, key: string | number, body: string): string {
  return createHash("sha256").update(`${table}\0${key}\0${body}`).digest("hex").slice(0, 16);
}

/** The fault of opening the ledger, or undefined. */
export async function refusalOf(folder: string): Promise<StoreFault | undefined> {
  try {
    (await openSqliteLedger({ folder, create: true })).close();
    return undefined;
  } catch (error) {
    if (error instanceof StoreFault) return error;
    throw error;
  }
}
