import type { TaskState } from "../../core/tasks/states.ts";
import { headFileName, type ReadHead } from "../audit-head.ts";
import { beginning, link, type Tail } from "../event-chain.ts";
import type { LedgerEvent, Verification } from "../ledger.ts";
import type { Connection, Row } from "./connection.ts";
import { readMeta } from "./meta.ts";
import { readEvents, readTail } from "./read-events.ts";
import { damageOf } from "./sealed-rows.ts";

export type Problem = Verification["problems"][number];

const pageRows = 500;
/** The hash after a damaged event: whether the next event follows it is unknown. */
const unknownHash = "";

/** Reads the chain of events page by page and keeps the latest state of each task (INV-5). */
export class EventWalk {
  readonly #connection: Connection;
  readonly #states = new Map<string, TaskState>();
  #tail: Tail = beginning;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get events(): number {
    return this.#tail.seq;
  }

  /** Null for a task without events. */
  stateOf(task: string): TaskState | null {
    return this.#states.get(task) ?? null;
  }

  tasks(): Iterable<string> {
    return this.#states.keys();
  }

  /** Yields the problems of one page at a time, up to the last event. */
  *pages(): Generator<Problem[]> {
    for (;;) {
      const rest = "WHERE key > ? ORDER BY key LIMIT ?";
      const rows = this.#connection.rows(
        `SELECT key, body, sum FROM events ${rest}`,
        this.#tail.seq,
        pageRows,
      );
      yield rows.flatMap((row) => this.#step(row));
      if (rows.length < pageRows) return;
    }
  }

  #step(row: Row): Problem[] {
    const { seq: last, hash } = this.#tail;
    const seq = row.key as number;
    const gap = seq === last + 1 ? [] : [{ seq: last + 1, problem: `${named(last + 1, seq - 1)} missing` }];
    const damage = damageOf("events", row);
    if (damage !== undefined) {
      this.#tail = { seq, hash: unknownHash };
      return [...gap, { seq, problem: damage }];
    }
    const event: LedgerEvent = { seq, ...JSON.parse(row.body as string) };
    const isLinked = hash === unknownHash || link(this.#tail, event).hash === event.hash;
    this.#tail = { seq, hash: event.hash };
    const wrongState = this.#changeState(event);
    if (gap.length > 0) return gap;
    if (isLinked) return wrongState;
    return [{ seq, problem: `event ${seq} does not follow from the one before: one of them was changed` }];
  }

  #changeState({ seq, task, from, to }: LedgerEvent): Problem[] {
    if (task === null || to === null) return [];
    const was = this.stateOf(task);
    this.#states.set(task, to);
    if (was === from) return [];
    return [{ seq, problem: `event ${seq} takes task \`${task}\` from ${from}, but it was ${was}` }];
  }
}

/** A head outside the ledger, and its file. */
export interface KnownHead {
  readonly file: string;
  readonly head: ReadHead;
}

/** Finds what a head records and the ledger lacks. */
export function findLoss(connection: Connection, { file, head }: KnownHead): Problem | undefined {
  const tail = readTail(connection);
  if (typeof head === "string") return { problem: `the file ${file} is ${head}` };
  const known = file === headFileName ? "" : `, but \`${file}\` records them`;
  if (head.seq > tail.seq)
    return { seq: tail.seq + 1, problem: `${named(tail.seq + 1, head.seq)} missing at the end${known}` };
  const [event] = readEvents(connection, { after: head.seq - 1, limit: 1 });
  if (head.seq > 0 && event?.hash !== head.hash)
    return { seq: head.seq, problem: `event ${head.seq} is not the one recorded in ${file}` };
  const lost = head.commits - readMeta(connection, "commits");
  return lost > 0 ? { problem: `the last ${lost} changes are missing${known}` } : undefined;
}

function named(first: number, last: number): string {
  return first === last ? `event ${first} is` : `events ${first} to ${last} are`;
}
