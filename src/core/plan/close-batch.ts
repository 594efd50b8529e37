/** When a batch started, and when its last finished task became ready to merge. */
export interface BatchTimes {
  readonly startedMs: number;
  readonly readyMs: number;
}

/** Keeps a short delay of the machine from splitting a batch of quick tasks. */
const graceMsMin = 30_000;

/**
 * When a batch is merged without its tasks that still run: the finished tasks wait for them at most as long as they
 * took themselves. The late tasks join the next batch.
 */
export function batchClosesAtMs({ startedMs, readyMs }: BatchTimes): number {
  return readyMs + Math.max(graceMsMin, readyMs - startedMs);
}
