import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ClientConfig, Pool, PoolClient } from "pg";
import { readDatabaseUrl } from "../../core/values/database-url.ts";
import { StoreFault } from "../store-fault.ts";
import { translateError } from "./translate-error.ts";

/** Imported only where a ledger URL is configured. */
async function loadPg() {
  return (await import("pg")).default;
}

type Connect = (done: (error: Error | null) => void) => void;

/** Closes a connection whose login fails here: the server would wait a minute for the rest, and this process with it. */
function closingClient(Base: typeof Client) {
  return class extends Base {
    constructor(config?: ClientConfig) {
      super(config);
      const connect = this.connect.bind(this) as Connect;
      const closing: Connect = (done) =>
        connect((error) => {
          if (error) void this.end();
          done(error);
        });
      this.connect = closing as typeof this.connect; // a pool calls it in this form only
    }
  };
}

export interface ConnectionOptions {
  readonly url: string;
  /** How long a call waits for a server that does not answer, before it fails. */
  readonly waitMs?: number;
  /** Called once each time the server stops answering. */
  readonly onWait?: (why: string) => void;
  /** Called once when it answers again. */
  readonly onAnswer?: () => void;
  /** Called whenever a connection was lost: the server may have been restarted or replaced. */
  readonly onLost?: () => void;
  readonly connectionsMax?: number;
  /** How long the server may work on one statement. */
  readonly statementMs?: number;
}

const waitMsDefault = 30_000;
/** A server that is busy for longer is worth telling. */
const busyMs = 2000;
const connectMs = 5000;
/** The server ends a statement first; the client's own limit is for a server that hangs. */
const statementMsDefault = 10_000;
const hangingMs = 5000;
const pauseMs = { min: 20, max: 1000 };
const lockMs = { wait: 3000, hold: 2000 };

type Row = Readonly<Record<string, unknown>>;

/** A pool of connections. Every call has a deadline, and waits for a server that restarts. */
export class Connection {
  /** The URL without its password, for messages. */
  readonly place: string;
  readonly #pool: Pool;
  readonly #newClient: () => Client;
  readonly #waitMs: number;
  readonly #onWait: (why: string) => void;
  readonly #onAnswer: () => void;
  /** Processes of this connection that wait longer than the deadline. */
  readonly #patient = new Set<() => boolean>();
  readonly #onLost: () => void;
  #isWaiting = false;
  #isClosed = false;

  private constructor(pool: Pool, newClient: () => Client, options: ConnectionOptions) {
    this.place = readDatabaseUrl(options.url)?.place ?? "the configured URL";
    this.#pool = pool;
    this.#newClient = newClient;
    this.#waitMs = options.waitMs ?? waitMsDefault;
    this.#onWait = options.onWait ?? (() => {});
    this.#onAnswer = options.onAnswer ?? (() => {});
    this.#onLost = options.onLost ?? (() => {});
    // An idle connection that ends is replaced when the next call needs one.
    pool.on("error", this.#onLost);
  }

  static async open(options: ConnectionOptions): Promise<Connection> {
    const { Pool, Client } = await loadPg();
    const { url, connectionsMax = 4, waitMs = waitMsDefault } = options;
    const { statementMs = statementMsDefault } = options;
    const settings = {
      connectionString: url,
      application_name: "lockstep",
      connectionTimeoutMillis: Math.min(connectMs, Math.max(waitMs, 100)),
      keepAlive: true,
    };
    const limits = { statement_timeout: statementMs, query_timeout: statementMs + hangingMs };
    const shared = { max: connectionsMax, allowExitOnIdle: true, Client: closingClient(Client) };
    const pool = new Pool({ ...settings, ...limits, ...shared });
    return new Connection(pool, () => new Client(settings), options);
  }

  /** A statement that may be repeated: a read, or a change that is applied once however often it is sent. */
  rows<Found extends object = Row>(sql: string, values: readonly unknown[] = []): Promise<Found[]> {
    const query = { name: nameOf(sql), text: sql, values: [...values] };
    return this.#patiently(async () => (await this.#pool.query(query)).rows as Found[]);
  }

  /** Several statements in one transaction, which is not repeated if the connection is lost. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#take();
    try {
      await client.query("BEGIN");
      const result = await work(client);
      await client.query("COMMIT");
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw translateError(error, this.place);
    }
  }

  /** A connection for several statements. That it ends is seen by the statement that fails. */
  async #take(): Promise<PoolClient> {
    const client = await this.#patiently(() => this.#pool.connect());
    if (client.listenerCount("error") < 2) client.on("error", () => {});
    return client;
  }

  /**
   * Holds an advisory lock of the server until it is disposed, at most for some seconds, so that a frozen process does not
   * block the others. Undefined if another process holds it for too long.
   */
  async lock(number: number): Promise<AsyncDisposable | undefined> {
    const client = await this.#take();
    try {
      await client.query(
        `BEGIN; SET LOCAL lock_timeout = ${lockMs.wait}; SET LOCAL idle_in_transaction_session_timeout = ${lockMs.hold};
         SELECT pg_advisory_xact_lock(${number})`,
      );
    } catch {
      client.release(true);
      return undefined;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        const isBroken = await client.query("COMMIT").then(
          () => false,
          () => true,
        );
        client.release(isBroken);
      },
    };
  }

  /** Calls back with the channel of each notification until the connection ends; then calls `onEnd` once. */
  async listen(
    channels: readonly string[],
    onNotice: (channel: string) => void,
    onEnd: () => void,
  ): Promise<Disposable> {
    const client = this.#newClient();
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      onEnd();
    };
    client.on("notification", ({ channel }) => onNotice(channel));
    client.on("error", end);
    client.on("end", end);
    try {
      await client.connect();
      await client.query(channels.map((channel) => `LISTEN ${channel}`).join("; "));
      // It waits for other machines, so it must not keep this process alive.
      (client as unknown as { connection: { stream: { unref(): void } } }).connection.stream.unref();
    } catch (error) {
      end();
      client.end().catch(() => {});
      throw translateError(error, this.place);
    }
    return { [Symbol.dispose]: () => void client.end().catch(() => {}) };
  }

  /** Calls wait beyond their deadline while `lasts` returns true. */
  waitWhile(lasts: () => boolean): Disposable {
    this.#patient.add(lasts);
    return { [Symbol.dispose]: () => void this.#patient.delete(lasts) };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pool.end().catch(() => {});
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    const deadline = startMs + this.#waitMs;
    for (let round = 0; ; round += 1) {
      try {
        const result = await work();
        if (this.#isWaiting) this.#onAnswer();
        this.#isWaiting = false;
        return result;
      } catch (error) {
        const fault = translateError(error, this.place);
        if (fault instanceof StoreFault && fault.kind === "unreachable") this.#onLost();
        const isTemporary = fault instanceof StoreFault && ["unreachable", "busy"].includes(fault.kind);
        const isOver = performance.now() >= deadline && ![...this.#patient].some((lasts) => lasts());
        if (!isTemporary || this.#isClosed || isOver) throw fault;
        const isLong = fault.kind === "unreachable" ? round > 0 : performance.now() - startMs > busyMs;
        if (isLong && !this.#isWaiting) {
          this.#isWaiting = true;
          this.#onWait(fault.message);
        }
      }
      const most = Math.min(pauseMs.min * 2 ** round, pauseMs.max);
      const leftMs = deadline - performance.now();
      await sleep(Math.min(most / 2 + (Math.random() * most) / 2, leftMs > 0 ? leftMs : Infinity));
    }
  }
}

const names = new Map<string, string>();

/** A statement with a name is parsed and planned once on each connection. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = `lockstep_${names.size}`;
  names.set(sql, name);
  return name;
}
