/** One moment on one machine. Only `monoMs` of the same `boot` can be compared; `wallMs` is for people. */
export interface Moment {
  readonly wallMs: number;
  readonly monoMs: number;
  readonly boot: string;
}

export interface Clock {
  now(): Moment;
}

/** The same clock, later or earlier: leases run on monotonic time, so that has to move with the wall time. */
export function shifted(clock: Clock, byMs: number): Clock {
  return {
    now: () => {
      const { wallMs, monoMs, boot } = clock.now();
      return { wallMs: wallMs + byMs, monoMs: monoMs + byMs, boot };
    },
  };
}
