/** When a batch began, and when the last of its finished work was ready to be merged. */
export interface BatchTimes {
  readonly startedMs: number;
  readonly readyMs: number;
}

/** Tasks of a few seconds are not torn apart for a moment's difference. */
const graceMsMin = 10_000;

/**
 * When a batch is merged without the tasks of it that still run: its finished work waits for them as long as it took
 * itself, and no longer. They belong to the next batch then.
 */
export function batchClosesAtMs({ startedMs, readyMs }: BatchTimes): number {
  return readyMs + Math.max(graceMsMin, readyMs - startedMs);
}
