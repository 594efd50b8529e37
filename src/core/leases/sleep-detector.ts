import type { Moment } from "./clock.ts";

const slackMs = 1000;

/**
 * Whether a watchdog that ticks every `periodMs` slept between two ticks, so that the agents may not have been
 * able to send their heartbeats. A stopped watchdog shows in monotonic time. A machine asleep shows in the wall
 * time alone, because Linux's monotonic time stands still meanwhile; a wall clock that was put forward looks the
 * same, and costs no more than one lease of patience.
 */
export function sleptBetween(previous: Moment, now: Moment, periodMs: number): boolean {
  const gapMsMax = 2 * periodMs + slackMs;
  const monoGapMs = now.monoMs - previous.monoMs;
  const wallGapMs = now.wallMs - previous.wallMs;
  return monoGapMs > gapMsMax || wallGapMs - monoGapMs > gapMsMax;
}
