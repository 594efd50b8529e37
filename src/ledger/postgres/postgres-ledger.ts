import type { Session } from "../../core/session/session.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Head } from "../audit-head.ts";
import { canonicalJson } from "../event-chain.ts";
import { InvariantBroken } from "../invariant-broken.ts";
import type {
  Answered,
  Attempt,
  Change,
  Committed,
  Decision,
  EventFilter,
  Intent,
  Ledger,
  LedgerAbout,
  LedgerEvent,
  Lock,
  LogTail,
  Machine,
  Role,
  SettingName,
  SharedLogs,
  StoredRun,
  Survey,
  TaskFilter,
} from "../ledger.ts";
import { ancestorsOf } from "../lock-prefixes.ts";
import { StoreFault } from "../store-fault.ts";
import { taskIn } from "../task-in.ts";
import { isDurable } from "../written-documents.ts";
import type { Connection } from "./connection.ts";
import { column, envelopeOf } from "./envelope.ts";
import type { KnownLedger } from "./known-head.ts";
import type { LedgerClock } from "./ledger-clock.ts";
import { knownVersion, newerFault } from "./migrations.ts";
import { ServerHints } from "./server-hints.ts";
import { postgresFault } from "./translate-error.ts";
import { verifyLedger } from "./verify.ts";

/** Facts that were read are read again after this time, whether or not a notification came. */
const pollMs = 2000;

/** Commits are told on one channel by the database, hints on the other. */
const channels = { commits: "lockstep", hints: "lockstep_hints" };

/** The number of the advisory lock; any will do. */
const turnLock = 5_074_001;

/** After a conflict, callers that take locks queue for this time. */
const crowdedMs = 2000;

/** How the processes of one machine tell each other of their commits, without the delay of a notification. */
export interface LocalVersion {
  read(): string;
  bump(): void;
}

export interface LedgerParts {
  readonly connection: Connection;
  readonly clock: LedgerClock;
  readonly secret: string;
  readonly machine: Omit<Machine, "beatMs"> | undefined;
  readonly known: KnownLedger;
  readonly local: LocalVersion | undefined;
  /** Compares the ledger with what this machine knows of it; throws if something is missing. */
  readonly check: () => Promise<void>;
}

export interface Body {
  readonly body: string;
  readonly [column: string]: unknown;
}

/** How long a question for a log counts. */
const askedMs = 10_000;

export class PostgresLedger implements Ledger {
  readonly clock: LedgerClock;
  readonly logs: SharedLogs = {
    keep: async (task, tail) => {
      const { machine, file } = tail;
      const values = [column(task), machine, column(file), canonicalJson(tail)];
      await this.#connection.rows("SELECT lockstep.keep_log($1, $2, $3, $4)", values);
    },
    ask: async (task) => {
      const rows = await this.#read<Body>("SELECT body FROM lockstep.ask_log($1) AS body", [column(task)]);
      return rows.map(({ body }) => JSON.parse(body) as LogTail);
    },
    asked: async (tasks) => {
      const rows = await this.#read<{ task: string }>(
        `SELECT DISTINCT task FROM lockstep.logs WHERE task = ANY($1)
         AND asked_ms > extract(epoch FROM clock_timestamp()) * 1000 - $2`,
        [tasks.map(column), askedMs],
      );
      return rows.map(({ task }) => task);
    },
  };
  readonly hints = new ServerHints(
    () => this.#connection.rows("SELECT pg_notify($1, '')", [channels.hints]),
    () => this.#startListening(),
  );
  readonly #parts: LedgerParts;
  readonly #connection: Connection;
  #ticking: Promise<void> | undefined;
  #seen = 0;
  #listening: Promise<Disposable | undefined> | undefined;
  #isClosed = false;
  #turns: Promise<void> = Promise.resolve();
  #crowdedUntilMs = -Infinity;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
    this.#connection = parts.connection;
    this.clock = parts.clock;
  }

  task = async (key: string) => (await this.#tasks("WHERE key = $1", [column(key)]))[0];

  tasks({ states, session, after = "", limit }: TaskFilter = {}): Promise<readonly Task[]> {
    const wanted = session === undefined ? "TRUE" : "session IS NOT DISTINCT FROM $4";
    const values = [column(after), limit ?? null, states ?? null];
    return this.#tasks(
      `WHERE key > $1 AND ($3::text[] IS NULL OR state = ANY($3)) AND ${wanted} ORDER BY key LIMIT $2`,
      session === undefined ? values : [...values, column(session)],
    );
  }

  dependents = (key: string) =>
    this.#tasks("WHERE key IN (SELECT task FROM lockstep.dependencies WHERE needed = $1) ORDER BY key", [
      column(key),
    ]);
  waitingFor = (key: string) => this.#tasks("WHERE waits_for = $1 ORDER BY key", [column(key)]);

  attempt = async (task: string) =>
    (
      await this.#list<Attempt>("attempts", "WHERE task = $1 ORDER BY number DESC LIMIT 1", [column(task)])
    )[0];
  runningAttempts = () => this.#list<Attempt>("attempts", "WHERE lease_state = 'running' ORDER BY key");

  locks({ task, active }: Parameters<Ledger["locks"]>[0] = {}): Promise<readonly Lock[]> {
    const state = active === undefined ? "" : active ? "AND active" : "AND NOT active";
    return this.#locks(`($1::text IS NULL OR task = $1) ${state}`, [column(task)]);
  }

  locksNear(prefixes: readonly string[]): Promise<readonly Lock[]> {
    const asked = [...new Set(prefixes.map((prefix) => column(prefix) as string))];
    if (asked.includes("")) return this.#locks("id IN (SELECT lock FROM lockstep.lock_prefixes)", []);
    const near = `SELECT lock FROM lockstep.lock_prefixes WHERE prefix = ANY($1)
      UNION SELECT lock FROM lockstep.lock_prefixes, unnest($2::text[]) AS folder
      WHERE prefix >= (folder || '/') COLLATE "C" AND prefix < (folder || '0') COLLATE "C"`;
    return this.#locks(`id IN (${near})`, [[...asked, ...asked.flatMap(ancestorsOf)], asked]);
  }

  locksOnResources = (names: readonly string[]) =>
    this.#locks("active AND kind = 'resource' AND resource = ANY($1)", [names.map((name) => column(name))]);

  async fence(): Promise<number> {
    const [row] = await this.#read<{ fence: string }>("SELECT fence FROM lockstep.meta");
    return Number(row?.fence);
  }

  async events({ task, type, after, before, limit, newestFirst = false }: EventFilter = {}) {
    const conditions: [sql: string, value: unknown][] = [
      ["task = $", column(task)],
      ["type = $", column(type)],
      ["seq > $", after ?? null],
      ["seq < $", before ?? null],
    ];
    const asked = conditions.filter(([, value]) => value !== null);
    const where = asked.map(([sql], index) => `${sql}${index + 2}`).join(" AND ") || "TRUE";
    const rows = await this.#read<Body>(
      `SELECT body, hash FROM lockstep.events WHERE ${where} ORDER BY seq ${newestFirst ? "DESC" : "ASC"} LIMIT $1`,
      [limit ?? null, ...asked.map(([, value]) => value)],
    );
    return rows.map(eventIn);
  }

  setting = (name: SettingName) => this.#one<unknown>("settings", name);
  answered = (key: string) => this.#one<Answered>("requests", key);
  decisions: Ledger["decisions"] = ({ state } = {}) =>
    this.#list<Decision>("decisions", "WHERE $1::text IS NULL OR state = $1 ORDER BY key", [state ?? null]);
  session = (name: string) => this.#one<Session>("sessions", name);
  sessions = () => this.#list<Session>("sessions", "ORDER BY key");
  role = (name: string) => this.#one<Role>("roles", name);
  roles = () => this.#list<Role>("roles", "ORDER BY key");
  evidence = (key: string) => this.#one<StoredRun>("evidence", key);

  async intents(): Promise<readonly Intent[]> {
    const sql = "SELECT id::float8, body FROM lockstep.intents WHERE NOT done ORDER BY id";
    return (await this.#read<Body>(sql)).map(({ id, body }) => ({ id: id as number, ...JSON.parse(body) }));
  }

  async machines(): Promise<readonly Machine[]> {
    const sql = `SELECT ${machineColumns} FROM lockstep.machines ORDER BY id`;
    return (await this.#read<Body>(sql)).map(machineIn);
  }

  /** One statement, so that all parts are of the same moment. */
  async survey(): Promise<Survey> {
    const all = (from: string) => `(SELECT coalesce(json_agg(r), '[]') FROM (SELECT ${from}) AS r)`;
    const newest = (type: string) =>
      all(`body, hash FROM lockstep.events WHERE type = '${type}' ORDER BY seq DESC LIMIT 200`);
    const [row] = await this.#read<Record<string, readonly Body[]>>(
      `SELECT ${all("body FROM lockstep.tasks ORDER BY key")} AS tasks,
        ${all("DISTINCT ON (task) body FROM lockstep.attempts ORDER BY task, number DESC")} AS attempts,
        ${all(`${lockColumns} FROM lockstep.locks WHERE active ORDER BY id`)} AS locks,
        ${all("body FROM lockstep.decisions WHERE state = 'pending' ORDER BY key")} AS decisions,
        ${all("body FROM lockstep.sessions ORDER BY key")} AS sessions,
        ${all(`${machineColumns} FROM lockstep.machines ORDER BY id`)} AS machines,
        ${all(`body FROM lockstep.roles WHERE body LIKE '%"leaseState":"running"%' ORDER BY key`)} AS roles,
        ${all("body FROM lockstep.settings WHERE key = 'breaker'")} AS breaker,
        ${newest("land.refused")} AS refused, ${newest("task.merged")} AS merged, ${newest("agent.limited")} AS limited,
        ${newest("machine.forgotten")} AS forgotten`,
    );
    const bodies = <T>(name: string) => (row?.[name] ?? []).map(({ body }) => JSON.parse(body) as T);
    return {
      tasks: bodies<Task>("tasks").map(taskIn),
      attempts: bodies("attempts"),
      locks: (row?.locks ?? []).map(lockIn),
      decisions: bodies("decisions"),
      sessions: bodies("sessions"),
      machines: (row?.machines ?? []).map(machineIn),
      roles: bodies("roles"),
      breaker: bodies("breaker")[0],
      events: {
        "land.refused": (row?.refused ?? []).map(eventIn),
        "task.merged": (row?.merged ?? []).map(eventIn),
        "agent.limited": (row?.limited ?? []).map(eventIn),
        "machine.forgotten": (row?.forgotten ?? []).map(eventIn),
      },
    };
  }

  secret = () => this.#parts.secret;

  /** No round trip: other machines notify, this machine's processes leave a mark, and time passes. */
  version(): string {
    this.#startListening();
    return `${this.#seen} ${this.#parts.local?.read() ?? ""} ${Math.floor(performance.now() / pollMs)}`;
  }

  async commit(change: Change): Promise<Committed> {
    const { known, check } = this.#parts;
    let answer = await this.#apply(change);
    if ("renamed" in answer) {
      await check();
      answer = await this.#apply(change);
    }
    if ("conflict" in answer) {
      this.#crowdedUntilMs = performance.now() + crowdedMs;
      return answer;
    }
    if ("broken" in answer) throw new InvariantBroken(answer.broken);
    if ("lost" in answer) throw postgresFault("lost", this.#connection.place, { why: answer.lost });
    if ("format" in answer)
      throw newerFault(this.#connection.place, { version: answer.format, lockstep: answer.lockstep });
    if ("archived" in answer)
      throw new StoreFault("network", `${answer.archived}: give the new task or its session another name`);
    if (!("seq" in answer)) throw new Error("the ledger gave no answer");
    known.saw(answer);
    if (isDurable(change)) known.head?.advance(answer);
    return { ok: true, seq: answer.seq };
  }

  async #apply(change: Change): Promise<Answer> {
    const { known, local } = this.#parts;
    const envelope = envelopeOf(change, { format: knownVersion, name: known.name, seen: known.commits });
    const [row] = await this.#read<{ answer: Answer }>("SELECT lockstep.apply_change($1) AS answer", [
      envelope,
    ]);
    this.#seen += 1;
    local?.bump();
    return row?.answer ?? {};
  }

  /** Callers of this process queue here first, so that at most one connection waits. */
  async turn(): Promise<AsyncDisposable | undefined> {
    if (performance.now() > this.#crowdedUntilMs) return undefined;
    const before = this.#turns;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    this.#turns = before.then(() => promise);
    await before;
    try {
      const lock = await this.#connection.lock(turnLock);
      return {
        [Symbol.asyncDispose]: async () => {
          await lock?.[Symbol.asyncDispose]();
          done();
        },
      };
    } catch (error) {
      done();
      throw error;
    }
  }

  async about(): Promise<LedgerAbout> {
    const [row] = await this.#read<Omit<LedgerAbout, "engine" | "place">>(
      `SELECT version, seq::float8 AS events, commits::float8,
        (SELECT sum(pg_total_relation_size(c.oid))::float8 FROM pg_class c
          WHERE c.relnamespace = 'lockstep'::regnamespace AND c.relkind = 'r') AS bytes FROM lockstep.meta`,
    );
    if (row === undefined) throw new Error("the ledger has no version");
    return { engine: "postgres", place: this.#connection.place, ...row };
  }

  verify() {
    return verifyLedger(this.#connection, this.#parts.known.head);
  }

  waitWhile(lasts: () => boolean): Disposable {
    return this.#connection.waitWhile(lasts);
  }

  close(): void {
    this.#isClosed = true;
    this.hints.close();
    this.#connection.close();
    this.#parts.known[Symbol.dispose]();
    void this.#listening?.then((listener) => listener?.[Symbol.dispose]());
  }

  /** The time is fresh before a read, and again after one during which the connection was lost. */
  async #read<Row extends object>(sql: string, values: readonly unknown[] = []) {
    if (!this.clock.isFresh) await this.#tick();
    const rows = await this.#connection.rows<Row>(sql, values);
    if (!this.clock.isTrusted) await this.#tick();
    return rows;
  }

  #tick(): Promise<void> {
    this.#ticking ??= tick(this.#parts).finally(() => {
      this.#ticking = undefined;
    });
    return this.#ticking;
  }

  #startListening(): void {
    this.#listening ??= this.#listen();
  }

  async #listen(): Promise<Disposable | undefined> {
    const seen = () => {
      this.#seen += 1;
    };
    const heard = (channel: string) => (channel === channels.hints ? this.hints.heard() : seen());
    const ended = () => {
      seen();
      setTimeout(() => (this.#listening = undefined), pollMs).unref();
    };
    if (this.#isClosed) return undefined;
    // Without notifications the facts are read at every interval.
    return this.#connection.listen(Object.values(channels), heard, ended).catch(() => undefined);
  }

  async #one<T>(table: string, key: string): Promise<T | undefined> {
    return (await this.#list<T>(table, "WHERE key = $1", [column(key)]))[0];
  }

  async #list<T>(table: string, rest: string, values: readonly unknown[] = []): Promise<T[]> {
    const rows = await this.#read<Body>(`SELECT body FROM lockstep.${table} ${rest}`, values);
    return rows.map(({ body }) => JSON.parse(body) as T);
  }

  async #tasks(rest: string, values: readonly unknown[]): Promise<Task[]> {
    return (await this.#list<Task>("tasks", rest, values)).map(taskIn);
  }

  async #locks(where: string, values: readonly unknown[]): Promise<Lock[]> {
    const sql = `SELECT ${lockColumns} FROM lockstep.locks WHERE ${where} ORDER BY id`;
    return (await this.#read<Body>(sql, values)).map(lockIn);
  }
}

type Answer =
  | Head
  | { readonly conflict: string }
  | { readonly broken: string }
  | { readonly lost: string }
  /** A newer Lockstep has migrated the ledger meanwhile. */
  | { readonly format: number; readonly lockstep: string }
  | { readonly archived: string }
  /** A person has accepted a loss meanwhile. */
  | { readonly renamed: true }
  | object;

/** Asks the server for its time, and tells it that this machine is there. */
export async function tick({
  connection,
  clock,
  machine,
  check,
}: Omit<LedgerParts, "secret">): Promise<void> {
  const wasTrusted = clock.isTrusted;
  const { id = null, ...about } = machine ?? {};
  const values = [id, JSON.stringify(about)];
  const [row] = await connection.rows<{ told: { ms: number; graceMs: number } }>(
    "SELECT lockstep.tick($1, $2) AS told",
    values,
  );
  if (row === undefined) throw new Error("the ledger did not tell its time");
  clock.set(row.told);
  // The connection was lost: the server may have come back with older data.
  if (!wasTrusted) await check();
}

export const lockColumns = "id::float8, body, active, released_at";

export function lockIn({ id, body, active, released_at: releasedAt }: Body): Lock {
  return { id, ...JSON.parse(body), active, releasedAt } as Lock;
}

const machineColumns = "id, body, beat_ms::float8";

function machineIn({ id, body, beat_ms: beatMs }: Body): Machine {
  return { id, ...JSON.parse(body), beatMs } as Machine;
}

/** With its fields in the order that the other engine gives them, so that exports are the same. */
export function eventIn({ body, hash }: Body): LedgerEvent {
  const { seq, ...event } = JSON.parse(body) as LedgerEvent;
  const fields = Object.entries({ ...event, hash }).sort(([one], [other]) => (one < other ? -1 : 1));
  return { seq, ...Object.fromEntries(fields) } as LedgerEvent;
}
