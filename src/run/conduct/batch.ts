import { type BatchTimes, batchClosesAtMs } from "../../core/plan/close-batch.ts";

/** The current batch, with `batching: batch`. */
export class Batch {
  #times: BatchTimes;
  /** Tasks that were still running when their batch was closed. */
  readonly late = new Set<string>();

  constructor(nowMs: number) {
    this.#times = { startedMs: nowMs, readyMs: nowMs };
  }

  /** Begins the next batch. Late tasks belong to it. */
  begin(nowMs: number): void {
    this.#times = { startedMs: nowMs, readyMs: nowMs };
    this.late.clear();
  }

  /** Another task of the batch is ready to be merged. */
  ready(nowMs: number): void {
    this.#times = { ...this.#times, readyMs: nowMs };
  }

  /** Whether the ready tasks are merged now. If so, the `running` ones are late. */
  closes(running: readonly string[], nowMs: number): boolean {
    if (running.length > 0 && nowMs < batchClosesAtMs(this.#times)) return false;
    for (const key of running) this.late.add(key);
    return true;
  }
}
