import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreFault } from "../store-fault.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { translateError } from "./translate-error.ts";

export type Row = Readonly<Record<string, unknown>>;

/** SQLite blocks the whole process while it waits, so each wait is short. */
const blockedMsMax = 10;
const pauseMs = { min: 2, max: 15 };
const waitMsDefault = 10_000;

export interface ConnectionOptions {
  readonly readOnly?: boolean;
  /** The total time to wait for other processes. */
  readonly waitMs?: number;
}

/**
 * One connection with its prepared statements. Every error that it throws is translated. Waiting for another
 * process does not block the event loop.
 */
export class Connection {
  /** For messages. */
  readonly place: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #waitMs: number;
  #durable: boolean | undefined;

  constructor(path: string, { readOnly = false, waitMs = waitMsDefault }: ConnectionOptions = {}) {
    this.place = path;
    this.#waitMs = waitMs;
    const { DatabaseSync } = loadSqlite();
    this.#database = this.#translated(() => new DatabaseSync(path, { readOnly, timeout: blockedMsMax }));
  }

  rows(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#translated(() => this.#statement(sql).all(...values));
  }

  row(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#translated(() => this.#statement(sql).get(...values));
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#translated(() => Number(this.#statement(sql).run(...values).lastInsertRowid));
  }

  /** Several statements, or one that is not worth caching. */
  execute(sql: string): void {
    this.#translated(() => this.#database.exec(sql));
  }

  pragma(name: string): unknown {
    return this.#translated(() => {
      const row = this.#database.prepare(`PRAGMA ${name}`).get();
      return row === undefined ? undefined : Object.values(row)[0];
    });
  }

  /** Runs all reads of one call in one transaction. */
  snapshot<T>(read: () => T): Promise<T> {
    return this.patiently(() => this.#transaction("BEGIN", read));
  }

  /** Stores a change whole or not at all; nothing else runs between its first and last statement. */
  write<T>(change: () => T, { durable }: { readonly durable: boolean }): Promise<T> {
    return this.patiently(() => {
      this.#setDurable(durable);
      return this.#transaction("BEGIN IMMEDIATE", change);
    });
  }

  /** Retries, with pauses, while the ledger is locked by another process. */
  async patiently<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + this.#waitMs;
    for (;;) {
      try {
        return work();
      } catch (error) {
        const busy = error instanceof StoreFault && error.kind === "busy";
        if (!busy || performance.now() >= deadline) throw error;
      }
      await sleep(pauseMs.min + Math.random() * (pauseMs.max - pauseMs.min));
    }
  }

  /**
   * Moves the content of the write-ahead log into the database, unless readers prevent it. Returns whether the
   * log is now empty.
   */
  foldLog(): boolean {
    try {
      return this.pragma("wal_checkpoint(TRUNCATE)") === 0;
    } catch {
      return false;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.run(begin);
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      // Some errors have already ended the transaction.
      if (this.#database.isTransaction) this.run("ROLLBACK");
      throw error;
    }
  }

  #setDurable(durable: boolean): void {
    if (durable === this.#durable) return;
    this.execute(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
    this.#durable = durable;
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #translated<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translateError(error, this.place);
    }
  }
}
