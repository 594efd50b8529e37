import { setImmediate as nextTurn } from "node:timers/promises";
import type { Request } from "./request.ts";
import type { Commit, Sight } from "./shadow.ts";

/** Thrown through a killed process: its memory is lost, and no answer arrives. */
export class ProcessCrash extends Error {
  override readonly name = "ProcessCrash";
}

export type Fault = "before-read" | "before-commit" | "after-commit" | "conflict" | "full";

interface Waiting {
  readonly point: string;
  go(fault: Fault | undefined): void;
  fail(error: Error): void;
}

/**
 * One call of the engine. It stops before every call of the ledger until the scheduler continues it, and only one
 * operation runs at a time. So the seed determines the order of all ledger calls, whatever the engine awaits in
 * between.
 */
export class Operation {
  readonly id: number;
  readonly request: Request;
  readonly process: SimProcess;
  /** The state when it began. */
  readonly begun: Sight;
  readonly commits: Commit[] = [];
  readonly #waiting: Waiting[] = [];
  #ended = false;
  #idle: () => void = () => {};
  /** The number of further commits that are answered with a conflict although nothing has changed. */
  storm = 0;

  constructor(id: number, { request, process, begun }: Pick<Operation, "request" | "process" | "begun">) {
    this.id = id;
    this.request = request;
    this.process = process;
    this.begun = begun;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The ledger call that it waits for. */
  get point(): string | undefined {
    return this.#waiting[0]?.point;
  }

  /** Runs until the first ledger call, or the end. */
  async start(work: () => Promise<void>): Promise<void> {
    const idle = this.#whenIdle();
    void work().finally(() => {
      this.#ended = true;
      this.#idle();
    });
    await idle;
  }

  /** Allows one ledger call, and runs until the next one or the end. */
  async advance(fault?: Fault): Promise<void> {
    const first = this.#waiting.shift();
    if (first === undefined) throw new Error(`operation ${this.id} waits for nothing`);
    // If several calls were made at once, the answer to one of them need not lead to another call.
    const idle = this.#waiting.length > 0 ? nextTurn() : this.#whenIdle();
    first.go(fault);
    await idle;
  }

  /** Called by the ledger; returns when the scheduler continues it. */
  turn(point: string): Promise<Fault | undefined> {
    if (!this.process.alive) return Promise.reject(new ProcessCrash(this.process.name));
    const { promise, resolve, reject } = Promise.withResolvers<Fault | undefined>();
    this.#waiting.push({ point, go: resolve, fail: reject });
    this.#idle();
    return promise;
  }

  /** The process is dead: every waiting call fails, and so does every later one. */
  async crash(): Promise<void> {
    while (!this.#ended) {
      for (const { fail } of this.#waiting.splice(0)) fail(new ProcessCrash(this.process.name));
      await nextTurn();
    }
  }

  #whenIdle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    return promise;
  }
}

/** A process with memory of its own that can end at any moment and may be started again. */
export interface SimProcess {
  readonly name: string;
  alive: boolean;
}
