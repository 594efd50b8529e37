/** One moment on one machine. Compare only `monoMs` of the same `boot`; `wallMs` is for display. */
export interface Moment {
  readonly wallMs: number;
  readonly monoMs: number;
  readonly boot: string;
}

export interface Clock {
  now(): Moment;
}

/** A clock with an offset. Monotonic time moves too, because leases use it. */
export function shifted(clock: Clock, byMs: number): Clock {
  return {
    now: () => {
      const { wallMs, monoMs, boot } = clock.now();
      return { wallMs: wallMs + byMs, monoMs: monoMs + byMs, boot };
    },
  };
}
