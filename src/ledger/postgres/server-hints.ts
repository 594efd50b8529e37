import type { Hints } from "../ledger.ts";

/** Several hints within this time are one notification. */
const gatherMs = 5;

/** The hints of one process; `send` notifies all of them. */
export class ServerHints implements Hints {
  readonly #send: () => Promise<unknown>;
  readonly #listen: () => void;
  #next = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  count = 0;

  constructor(send: () => Promise<unknown>, listen: () => void) {
    this.#send = send;
    this.#listen = listen;
  }

  give(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send().catch(() => {}); // the others ask at intervals
    }, gatherMs);
  }

  async after(count: number): Promise<void> {
    this.#listen();
    if (this.count === count) await this.#next.promise;
  }

  /** A notification has come. */
  heard(): void {
    this.count += 1;
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  /** Sends nothing more. */
  close(): void {
    clearTimeout(this.#timer);
  }
}
