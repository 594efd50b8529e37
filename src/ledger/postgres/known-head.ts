import type { Head, ReadHead } from "../audit-head.ts";
import { type HeadsFolder, OutsideHead } from "../outside-head.ts";
import type { Connection } from "./connection.ts";

/**
 * What this process knows of the ledger: its name, how many commits it has seen, and the head that this machine keeps. A
 * ledger whose loss a person has accepted has a new name, and what was known of the old one no longer applies.
 */
export class KnownLedger implements Disposable {
  readonly #heads: HeadsFolder | undefined;
  readonly #secret: string;
  #name: string;
  #head: OutsideHead | undefined;
  #commits = 0;

  constructor({ name, secret }: { readonly name: string; readonly secret: string }, heads?: HeadsFolder) {
    this.#heads = heads;
    this.#secret = secret;
    this.#name = name;
    this.#head = this.#open(name);
  }

  get name(): string {
    return this.#name;
  }

  get head(): OutsideHead | undefined {
    return this.#head;
  }

  get commits(): number {
    return this.#commits;
  }

  saw({ commits }: Head): void {
    this.#commits = Math.max(this.#commits, commits);
  }

  rename(name: string): void {
    if (name === this.#name) return;
    this[Symbol.dispose]();
    this.#name = name;
    this.#head = this.#open(name);
    this.#commits = 0;
  }

  [Symbol.dispose](): void {
    this.#head?.[Symbol.dispose]();
  }

  #open(name: string): OutsideHead | undefined {
    return this.#heads === undefined ? undefined : new OutsideHead(this.#heads, name, this.#secret);
  }
}

/** What a head that a machine keeps records, and the ledger lacks. */
export async function findLoss(
  connection: Connection,
  head: Exclude<ReadHead, "unreadable">,
): Promise<string | undefined> {
  if (head === "missing") return undefined;
  const now = await readTail(connection, head.seq);
  if (head.seq > now.seq) {
    const [first, last] = [now.seq + 1, head.seq];
    return `${first === last ? `event ${first} is` : `events ${first} to ${last} are`} missing at the end`;
  }
  if (head.seq > 0 && now.hashThere !== head.hash)
    return `event ${head.seq} is not the one that this machine knows`;
  const lost = head.commits - now.commits;
  return lost > 0 ? `the last ${lost} changes are missing` : undefined;
}

export async function readTail(
  connection: Connection,
  at = 0,
): Promise<Head & { readonly hashThere: string | null }> {
  const [row] = await connection.rows<Head & { readonly hashThere: string | null }>(
    `SELECT seq::float8, hash, commits::float8,
      (SELECT e.hash FROM lockstep.events e WHERE e.seq = $1) AS "hashThere" FROM lockstep.meta`,
    [at],
  );
  if (row === undefined) throw new Error("the ledger has no head");
  return row;
}
