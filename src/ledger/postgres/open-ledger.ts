import { randomBytes } from "node:crypto";
import type { Head } from "../audit-head.ts";
import type { Ledger, Machine } from "../ledger.ts";
import { type HeadsFolder, OutsideHead } from "../outside-head.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { eventRow } from "./envelope.ts";
import { findLoss, KnownLedger, readTail } from "./known-head.ts";
import { LedgerClock } from "./ledger-clock.ts";
import { readCurrentMeta } from "./migrations.ts";
import { type LocalVersion, PostgresLedger, tick } from "./postgres-ledger.ts";
import { postgresFault } from "./translate-error.ts";

export interface OpenOptions
  extends Pick<
    ConnectionOptions,
    "url" | "waitMs" | "onWait" | "onAnswer" | "connectionsMax" | "statementMs"
  > {
  /** This machine, if it takes part; a reader does not. */
  readonly machine?: Omit<Machine, "beatMs">;
  /** The folder for this machine's copy of the head. */
  readonly heads?: HeadsFolder;
  readonly local?: LocalVersion;
  /** This machine's own clock, which counts while the machine is suspended. */
  readonly localMs?: () => number;
}

/** Opens the ledger in a database, or throws a `StoreFault` that says why it must not be used. Writes nothing else. */
export async function openPostgresLedger(options: OpenOptions): Promise<Ledger> {
  const clock = new LedgerClock(options.localMs ?? (() => performance.now()));
  const connection = await Connection.open({ ...options, onLost: () => clock.distrust() });
  try {
    const meta = await readCurrentMeta(connection);
    const known = new KnownLedger(meta, options.heads);
    const check = () => checkLedger(connection, known);
    const parts = { connection, clock, machine: options.machine, known, local: options.local, check };
    await tick(parts);
    return new PostgresLedger({ ...parts, secret: meta.secret });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The head is read before the ledger's end: the ledger may be ahead of it, but never behind. */
async function checkLedger(connection: Connection, known: KnownLedger): Promise<void> {
  const { name, loss: reported } = await readCurrentMeta(connection);
  if (reported !== null) throw postgresFault("lost", connection.place, { why: reported });
  known.rename(name);
  if (known.head === undefined) return;
  const head = known.head.read();
  // What is wrong with a file of this machine stops this machine only.
  if (head === "unreadable")
    throw postgresFault("network", connection.place, {
      why: `the record of it on this machine was changed: if nobody restored a backup of the ledger, delete ${known.head.path}`,
    });
  const loss = await findLoss(connection, head);
  if (loss === undefined) return;
  await connection.rows("SELECT lockstep.report_loss($1)", [loss]);
  throw postgresFault("lost", connection.place, { why: loss });
}

/**
 * A person confirms that the missing data is lost. The ledger gets a new name, so the heads that machines keep of the
 * lost time no longer apply, and an event tells of the loss.
 */
export async function acceptLoss(
  { url, heads }: Pick<OpenOptions, "url" | "heads">,
  at: Date,
): Promise<{ readonly before: Head | undefined; readonly now: Head }> {
  const connection = await Connection.open({ url });
  try {
    const { name, secret } = await readCurrentMeta(connection);
    const known = heads === undefined ? "missing" : new OutsideHead(heads, name, secret).read();
    const before = typeof known === "string" ? undefined : known;
    const event = {
      ...{ at: at.toISOString(), type: "ledger.loss-accepted", actor: "person", cause: "accept-loss" },
      ...{ task: null, from: null, to: null, data: { known: before ?? null } },
    };
    const renamed = randomBytes(8).toString("hex");
    await connection.transaction((client) =>
      client.query("SELECT lockstep.accept_loss($1, $2)", [renamed, JSON.stringify(eventRow(event))]),
    );
    const { seq, hash, commits } = await readTail(connection);
    return { before, now: { seq, hash, commits } };
  } finally {
    connection.close();
  }
}
