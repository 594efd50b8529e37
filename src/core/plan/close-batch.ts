/** When a batch began, and when the last of its finished work was ready to be merged. */
export interface BatchTimes {
  readonly startedMs: number;
  readonly readyMs: number;
}

/** Quick tasks are not torn apart by a slow moment of the machine. */
const graceMsMin = 30_000;

/**
 * When a batch is merged without the tasks of it that still run: its finished work waits for them as long as it took
 * itself, and no longer. They belong to the next batch then.
 */
export function batchClosesAtMs({ startedMs, readyMs }: BatchTimes): number {
  return readyMs + Math.max(graceMsMin, readyMs - startedMs);
}
