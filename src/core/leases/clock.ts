/** One moment on one machine. Compare only `monoMs` of the same `boot`; `wallMs` is for display. */
export interface Moment {
  readonly wallMs: number;
  readonly monoMs: number;
  readonly boot: string;
  /** A time from which every lease has its full length: the server of a shared ledger was restarted then. */
  readonly graceMs?: number;
}

export interface Clock {
  now(): Moment;
}

/** A clock with an offset. Monotonic time moves too, because leases use it. */
export function shifted(clock: Clock, byMs: number): Clock {
  return {
    now: () => {
      const now = clock.now();
      return { ...now, wallMs: now.wallMs + byMs, monoMs: now.monoMs + byMs };
    },
  };
}
