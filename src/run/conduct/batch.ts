import { type BatchTimes, batchClosesAtMs } from "../../core/plan/close-batch.ts";

/** The batch that is at work, where tasks go in batches. */
export class Batch {
  #times: BatchTimes;
  /** Tasks without which their batch was closed. */
  readonly late = new Set<string>();

  constructor(nowMs: number) {
    this.#times = { startedMs: nowMs, readyMs: nowMs };
  }

  /** Another one begins; what is late belongs to it. */
  begin(nowMs: number): void {
    this.#times = { startedMs: nowMs, readyMs: nowMs };
    this.late.clear();
  }

  /** More of its work can be merged. */
  ready(nowMs: number): void {
    this.#times = { ...this.#times, readyMs: nowMs };
  }

  /** Whether what is ready is merged now; `running` are the tasks that are not ready, and then they are late. */
  closes(running: readonly string[], nowMs: number): boolean {
    if (running.length > 0 && nowMs < batchClosesAtMs(this.#times)) return false;
    for (const key of running) this.late.add(key);
    return true;
  }
}
