import type { Task } from "../../core/tasks/task.ts";
import { type Head, type HeadFile, readHead } from "../audit-head.ts";
import type { Answered, Change, Committed, EventFilter, Ledger, SettingName, TaskFilter } from "../ledger.ts";
import { StoreFault } from "../store-fault.ts";
import { applyChange, isDurable } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import { identityOfOpen } from "./ledger-files.ts";
import { readMeta } from "./meta.ts";
import { readEvents } from "./read-events.ts";
import { readLocks, readLocksNear, readLocksOnResources } from "./read-locks.ts";
import {
  readDecisions,
  readDependents,
  readNewestAttempt,
  readOpenIntents,
  readRunningAttempts,
  readTasks,
  readWaiting,
} from "./read-tasks.ts";
import { freeReserve } from "./reserve.ts";
import { readSealed } from "./sealed-rows.ts";
import { storeFault } from "./translate-error.ts";
import { verifyLedger } from "./verify.ts";

/** Where a ledger lies on disk; one in memory lies nowhere. */
export interface Home {
  readonly folder: string;
  /** See `identityOfOpen`. */
  readonly identity: string;
  readonly head: HeadFile;
}

export class SqliteLedger implements Ledger {
  readonly #connection: Connection;
  readonly #home: Home | undefined;
  readonly #secret: string;

  private constructor(connection: Connection, secret: string, home: Home | undefined) {
    this.#connection = connection;
    this.#secret = secret;
    this.#home = home;
  }

  static async on(connection: Connection, home?: Home): Promise<Ledger> {
    const secret = await connection.snapshot(() => readMeta(connection, "secret"));
    return new SqliteLedger(connection, secret, home);
  }

  task = (key: string) => this.#read((connection) => readSealed<Task>(connection, "tasks", key));
  tasks = (filter?: TaskFilter) => this.#read((connection) => readTasks(connection, filter));
  dependents = (key: string) => this.#read((connection) => readDependents(connection, key));
  waitingFor = (key: string) => this.#read((connection) => readWaiting(connection, key));
  attempt = (task: string) => this.#read((connection) => readNewestAttempt(connection, task));
  runningAttempts = () => this.#read(readRunningAttempts);
  locks: Ledger["locks"] = (filter) => this.#read((connection) => readLocks(connection, filter));
  locksNear: Ledger["locksNear"] = (prefixes) =>
    this.#read((connection) => readLocksNear(connection, prefixes));
  locksOnResources: Ledger["locksOnResources"] = (names) =>
    this.#read((connection) => readLocksOnResources(connection, names));
  fence = () => this.#read((connection) => readMeta(connection, "fence"));
  events = (filter?: EventFilter) => this.#read((connection) => readEvents(connection, filter));
  setting = (name: SettingName) => this.#read((connection) => readSealed(connection, "settings", name));
  answered = (key: string) => this.#read((connection) => readSealed<Answered>(connection, "requests", key));
  intents = () => this.#read(readOpenIntents);
  decisions: Ledger["decisions"] = (filter) =>
    this.#read((connection) => readDecisions(connection, filter?.state));
  secret = () => this.#secret;

  async commit(change: Change): Promise<Committed> {
    const stored = await this.#store(change).catch((error: unknown) => {
      if (!(error instanceof StoreFault) || error.kind !== "full" || change.relieves !== true) throw error;
      if (this.#home === undefined || !freeReserve(this.#home.folder)) throw error;
      return this.#store(change);
    });
    if ("conflict" in stored) return stored;
    if (isDurable(change)) this.#advanceHead(stored);
    return { ok: true, seq: stored.seq };
  }

  verify() {
    return verifyLedger(this.#connection, this.#home === undefined ? "none" : readHead(this.#home.folder));
  }

  close(): void {
    this.#connection.close();
    this.#home?.head[Symbol.dispose]();
  }

  #read<T>(read: (connection: Connection) => T): Promise<T> {
    return this.#connection.snapshot(() => read(this.#connection));
  }

  #store(change: Change) {
    const apply = () => {
      this.#assertInPlace();
      return applyChange(this.#connection, change);
    };
    return this.#connection.write(apply, { durable: isDurable(change) });
  }

  /** What is written into a file that was deleted or exchanged, nobody else would ever see. */
  #assertInPlace(): void {
    const { place } = this.#connection;
    if (this.#home === undefined || identityOfOpen(place) === this.#home.identity) return;
    const why = "it was deleted or replaced while it was open: start again to open what is there now";
    throw storeFault("gone", place, { why });
  }

  /** The change is stored by now, so this must not fail it; whoever opens the ledger next makes up for it. */
  #advanceHead(head: Head): void {
    try {
      this.#home?.head.advance(head);
    } catch {}
  }
}
