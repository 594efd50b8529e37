import type { Session } from "../../core/session/session.ts";
import type { Head, HeadFile } from "../audit-head.ts";
import type {
  Answered,
  Change,
  Committed,
  EventFilter,
  Ledger,
  Role,
  SettingName,
  StoredRun,
  Survey,
  TaskFilter,
} from "../ledger.ts";
import type { OutsideHead } from "../outside-head.ts";
import { StoreFault } from "../store-fault.ts";
import { isDurable } from "../written-documents.ts";
import { applyChange } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import { identityOfOpen } from "./ledger-files.ts";
import { readMeta } from "./meta.ts";
import { readHeads } from "./open-head.ts";
import { readEvents, readTail } from "./read-events.ts";
import { readLocks, readLocksNear, readLocksOnResources } from "./read-locks.ts";
import {
  readDecisions,
  readDependents,
  readNewestAttempt,
  readNewestAttempts,
  readOpenIntents,
  readRoles,
  readRunningAttempts,
  readSessions,
  readTask,
  readTasks,
  readWaiting,
} from "./read-tasks.ts";
import { freeReserve, hasReserve } from "./reserve.ts";
import { readSealed, readWhole } from "./sealed-rows.ts";
import { storeFault } from "./translate-error.ts";
import { verifyLedger } from "./verify.ts";

/** The files of a ledger on disk; a ledger in memory has none. */
export interface Home {
  readonly folder: string;
  /** See `identityOfOpen`. */
  readonly identity: string;
  readonly head: HeadFile;
  readonly outside: OutsideHead | undefined;
}

export class SqliteLedger implements Ledger {
  readonly #connection: Connection;
  readonly #home: Home | undefined;
  readonly #secret: string;
  #commits = 0;

  private constructor(connection: Connection, secret: string, home: Home | undefined) {
    this.#connection = connection;
    this.#secret = secret;
    this.#home = home;
  }

  static async on(connection: Connection, home?: Home): Promise<Ledger> {
    const secret = await connection.snapshot(() => readMeta(connection, "secret"));
    return new SqliteLedger(connection, secret, home);
  }

  task = (key: string) => this.#read((connection) => readTask(connection, key));
  tasks = (filter?: TaskFilter) => this.#read((connection) => readTasks(connection, filter));
  dependents = (key: string) => this.#read((connection) => readDependents(connection, key));
  waitingFor = (key: string) => this.#read((connection) => readWaiting(connection, key));
  attempt = (task: string) => this.#read((connection) => readNewestAttempt(connection, task));
  /** Also checks the file, because a watchdog must not keep reading a file that was deleted or replaced. */
  runningAttempts = () =>
    this.#read((connection) => {
      this.#assertInPlace();
      return readRunningAttempts(connection);
    });
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
  session = (name: string) => this.#read((connection) => readSealed<Session>(connection, "sessions", name));
  sessions = () => this.#read(readSessions);
  role = (name: string) => this.#read((connection) => readSealed<Role>(connection, "roles", name));
  roles = () => this.#read(readRoles);
  machines = async () => [];
  survey = () => this.#read(readSurvey);
  evidence = (key: string) => this.#read((connection) => readWhole<StoredRun>(connection, "evidence", key));
  secret = () => this.#secret;
  /** `data_version` counts the commits of other connections; `#commits` counts those of this one. */
  version = () => `${Number(this.#connection.row("PRAGMA data_version")?.data_version)} ${this.#commits}`;

  async commit(change: Change): Promise<Committed> {
    this.#commits += 1;
    const stored = await this.#store(change).catch((error: unknown) => {
      if (!isFull(error) || this.#home === undefined) throw error;
      // Content that is in both the log and the database can be freed.
      if (this.#connection.foldLog())
        return this.#store(change).catch((again: unknown) => this.#relieve(change, again));
      return this.#relieve(change, error);
    });
    if ("conflict" in stored) return stored;
    // Without a reserve, the log must not use up the space that emptying it needs.
    if (change.relieves === true && this.#home !== undefined && !hasReserve(this.#home.folder))
      this.#connection.foldLog();
    if (isDurable(change)) this.#advanceHead(stored);
    return { ok: true, seq: stored.seq };
  }

  #relieve(change: Change, error: unknown) {
    if (!isFull(error) || change.relieves !== true) throw error;
    if (this.#home === undefined || !freeReserve(this.#home.folder)) throw error;
    this.#connection.foldLog();
    return this.#store(change);
  }

  about = () =>
    this.#read((connection) => ({
      engine: "sqlite" as const,
      place: connection.place,
      version: Number(connection.pragma("user_version")),
      bytes: Number(connection.pragma("page_count")) * Number(connection.pragma("page_size")),
      events: readTail(connection).seq,
      commits: readMeta(connection, "commits"),
    }));

  verify() {
    const { folder, outside } = this.#home ?? {};
    return verifyLedger(this.#connection, folder === undefined ? [] : readHeads(folder, outside));
  }

  close(): void {
    this.#connection.close();
    this.#home?.head[Symbol.dispose]();
    this.#home?.outside?.[Symbol.dispose]();
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

  /** No other process would see what is written to a deleted or replaced file. */
  #assertInPlace(): void {
    const { place } = this.#connection;
    if (this.#home === undefined || identityOfOpen(place) === this.#home.identity) return;
    const why =
      "it was deleted or replaced while it was open: restart the command to open the current ledger";
    throw storeFault("gone", place, { why });
  }

  /**
   * The change is already stored, so a failure here must not fail it. The next opening of the ledger advances the
   * head.
   */
  #advanceHead(head: Head): void {
    try {
      this.#home?.head.advance(head);
    } catch {}
    this.#home?.outside?.advance(head);
  }
}

function isFull(error: unknown): boolean {
  return error instanceof StoreFault && error.kind === "full";
}

const eventsMax = 200;

/** Must be called inside one transaction. */
function readSurvey(connection: Connection): Survey {
  const newest = (type: keyof Survey["events"]) =>
    readEvents(connection, { type, newestFirst: true, limit: eventsMax });
  return {
    tasks: readTasks(connection),
    attempts: readNewestAttempts(connection),
    locks: readLocks(connection, { active: true }),
    decisions: readDecisions(connection, "pending"),
    sessions: readSessions(connection),
    machines: [],
    roles: [],
    breaker: readSealed(connection, "settings", "breaker"),
    events: {
      "land.refused": newest("land.refused"),
      "task.merged": newest("task.merged"),
      "agent.limited": newest("agent.limited"),
      "machine.forgotten": [],
    },
  };
}
