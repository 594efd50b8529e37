import { readHead } from "../audit-head.ts";
import type { Ledger } from "../ledger.ts";
import { type HeadsFolder, OutsideHead } from "../outside-head.ts";
import { StoreFault } from "../store-fault.ts";
import { checkIntegrity } from "./check-integrity.ts";
import { Connection } from "./connection.ts";
import {
  type FilesOptions,
  hasLog,
  identityOf,
  identityOfOpen,
  keepRefused,
  narrowModes,
  prepareFiles,
} from "./ledger-files.ts";
import { writeMeta } from "./meta.ts";
import { type Migration, migrate, migrations, readVersion, refuseChangedSchema } from "./migrations.ts";
import { nameOf, openHead } from "./open-head.ts";
import { freeReserve, keepReserve } from "./reserve.ts";
import { type Home, SqliteLedger } from "./sqlite-ledger.ts";
import { storeFault, translateError } from "./translate-error.ts";

export interface OpenOptions extends FilesOptions {
  /** How long a read or a commit waits for other processes before it fails. */
  readonly waitMs?: number;
  /** For a process that must answer quickly: skips the hourly check of a big ledger. */
  readonly urgent?: boolean;
  /** The folder for a second copy of the head. */
  readonly heads?: HeadsFolder;
  /** For tests of a full disk. */
  readonly maxPages?: number;
  readonly migrations?: readonly Migration[];
}

/** Opens the ledger in a folder, or throws a `StoreFault` that says why it must not be used. */
export async function openSqliteLedger(options: OpenOptions): Promise<Ledger> {
  const { folder } = options;
  try {
    return await open(options);
  } catch (error) {
    const fault = translateError(error, folder);
    // Even a reader needs a few pages of its own; on a full disk they come from the reserve.
    const isFull = fault instanceof StoreFault && fault.kind === "full" && freeReserve(folder);
    if (!isFull) throw fault;
  }
  return open(options).catch((error: unknown) => {
    throw translateError(error, folder);
  });
}

/** For simulations and tests: the same code on an in-memory database. */
export async function openMemoryLedger({ secret }: { readonly secret?: string } = {}): Promise<Ledger> {
  const connection = new Connection(":memory:");
  await migrate(connection, migrations);
  if (secret !== undefined) writeMeta(connection, "secret", secret);
  return SqliteLedger.on(connection);
}

async function open(options: OpenOptions): Promise<Ledger> {
  const { folder, maxPages, waitMs, urgent = false, heads, migrations: known = migrations } = options;
  // Read before the database: the head file is created after the tables, so if it exists now, the ledger had
  // tables.
  const hadHead = readHead({ folder }) !== "missing";
  const path = prepareFiles(options);
  const before = identityOf(path);
  const connection = new Connection(path, waitMs === undefined ? {} : { waitMs });
  let home: Home | undefined;
  try {
    // Read first, in one transaction: the file of another program stays unchanged.
    const version = await connection.snapshot(() => readVersion(connection, known));
    if (version === 0 && hadHead) throw storeFault("lost", path, { why: "it is empty" });
    await connection.patiently(() => configure(connection, maxPages));
    await migrate(connection, known);
    await connection.snapshot(() => {
      refuseChangedSchema(connection);
      checkIntegrity(connection, { folder, urgent });
    });
    const name = await connection.snapshot(() => nameOf(connection));
    const outside = heads === undefined ? undefined : new OutsideHead(heads, name);
    const head = await openHead(connection, folder, outside);
    home = { folder, identity: identityOfOpen(path), head, outside };
    narrowModes(folder);
    keepReserve(folder);
    if (identityOf(path) !== before)
      throw storeFault("gone", path, { why: "it was replaced while it was being opened: try again" });
    return await SqliteLedger.on(connection, home);
  } catch (error) {
    const fault = withCopy(translateError(error, folder), path);
    connection.close();
    home?.head[Symbol.dispose]();
    throw fault;
  }
}

function withCopy(fault: unknown, path: string): unknown {
  if (!(fault instanceof StoreFault)) return fault;
  const { kind } = fault;
  if (kind !== "corrupt" && !(kind === "lost" && hasLog(path))) return fault;
  const copy = keepRefused(path, kind);
  if (copy === undefined) return fault;
  return new StoreFault(kind, `${fault.message}; a copy of the current ledger is kept as \`${copy}\``, {
    cause: fault,
  });
}

function configure(connection: Connection, maxPages: number | undefined): void {
  const mode = connection.pragma("journal_mode = WAL");
  if (mode !== "wal")
    throw storeFault("io", connection.place, { why: `its journal stays in mode ${String(mode)}` });
  connection.execute("PRAGMA cache_size = -8000; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
  if (maxPages !== undefined) connection.execute(`PRAGMA max_page_count = ${maxPages}`);
}
