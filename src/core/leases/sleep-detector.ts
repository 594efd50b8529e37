import type { Moment } from "./clock.ts";

const slackMs = 1000;

/**
 * Whether a watchdog that ticks every `periodMs` slept between two ticks, so that the agents may have been unable to
 * send heartbeats. A suspended watchdog shows in monotonic time. A suspended machine shows only in wall time,
 * because monotonic time stops on Linux during suspend. A wall clock that was set forward looks the same; the
 * only cost is that every lease is extended once.
 */
export function sleptBetween(previous: Moment, now: Moment, periodMs: number): boolean {
  const gapMsMax = 2 * periodMs + slackMs;
  const monoGapMs = now.monoMs - previous.monoMs;
  const wallGapMs = now.wallMs - previous.wallMs;
  return monoGapMs > gapMsMax || wallGapMs - monoGapMs > gapMsMax;
}
