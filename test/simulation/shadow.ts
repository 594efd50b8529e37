import type { Moment } from "../../src/core/leases/clock.ts";
import type { Task } from "../../src/core/tasks/task.ts";
import type { Attempt, Change, Ledger, LedgerEvent, Lock } from "../../src/ledger/ledger.ts";
import type { Operation } from "./operation.ts";

/** The stored content at one moment. */
export interface Stored {
  readonly tasks: ReadonlyMap<string, Task>;
  /** The newest of each task. */
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** The active ones. */
  readonly locks: readonly Lock[];
  /** Set by an operation that pauses or stops all work; a new object each time. */
  readonly breaker: object | null;
}

/** The complete state at one moment. */
export interface Sight {
  readonly now: Moment;
  readonly stored: Stored;
  /** The request's key has an answer already. */
  readonly answered: boolean;
}

/** One commit, and what was stored before and after it. */
export interface Commit {
  readonly operation: Operation;
  readonly change: Change;
  readonly now: Moment;
  readonly before: Stored;
  readonly after: Stored;
  readonly events: readonly LedgerEvent[];
}

/** The simulation's copy of the ledger: read again after every commit, and never written otherwise. */
export class Shadow {
  readonly #ledger: Ledger;
  #stored: Stored = { tasks: new Map(), attempts: new Map(), locks: [], breaker: null };
  #seq = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get stored(): Stored {
    return this.#stored;
  }

  /** The last event. */
  get seq(): number {
    return this.#seq;
  }

  async follow(operation: Operation, change: Change, now: Moment): Promise<Commit> {
    const before = this.#stored;
    const tasks = new Map(before.tasks);
    const attempts = new Map(before.attempts);
    for (const { key } of change.tasks ?? []) {
      const task = await this.#ledger.task(key);
      if (task !== undefined) tasks.set(key, task);
    }
    for (const { task } of change.attempts ?? []) {
      const attempt = await this.#ledger.attempt(task);
      if (attempt !== undefined) attempts.set(task, attempt);
    }
    const locked = change.take !== undefined || change.release !== undefined;
    const locks = locked ? await this.#ledger.locks({ active: true }) : before.locks;
    const events = (change.events ?? []).length > 0 ? await this.#ledger.events({ after: this.#seq }) : [];
    this.#seq = events.at(-1)?.seq ?? this.#seq;
    const setting = change.settings?.breaker as object | null | undefined;
    const breaker = setting === undefined ? before.breaker : setting;
    this.#stored = { tasks, attempts, locks, breaker };
    return { operation, change, now, before, after: this.#stored, events };
  }
}

export function epochOf(stored: Stored, task: string): number {
  return stored.attempts.get(task)?.epoch ?? 0;
}

/** Computed without the engine's own code, on purpose. */
export function ranOut(attempt: Attempt, now: Moment): boolean {
  if (attempt.leaseState !== "running") return false;
  const { boot, beatMs, timeoutSeconds } = attempt.lease;
  return boot !== now.boot || now.monoMs > beatMs + timeoutSeconds * 1000;
}
