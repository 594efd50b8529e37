import type { Moment } from "./clock.ts";

/** How long a lock lasts after its last heartbeat, which was at `beatMs` of the monotonic time of `boot`. */
export interface Lease {
  readonly boot: string;
  readonly beatMs: number;
  readonly timeoutSeconds: number;
}

/** The last moment that a `Date` can hold. */
const wallMsMax = 8.64e15;

/** Infinity for a lease of another boot: nobody lives across a reboot. */
export function ageSeconds(lease: Lease, now: Moment): number {
  return lease.boot === now.boot ? (now.monoMs - lease.beatMs) / 1000 : Infinity;
}

/** From `notBeforeMs` on, in monotonic time, everybody has a full lease: the grace after a sleep. */
export function hasLapsed(lease: Lease, now: Moment, notBeforeMs = -Infinity): boolean {
  const beatMs = Math.max(lease.beatMs, notBeforeMs);
  return ageSeconds({ ...lease, beatMs }, now) > lease.timeoutSeconds;
}

/** What an attempt has: `held` waits for a review or a person, and has no clock. */
interface Leased {
  readonly leaseState: "running" | "held" | "over";
  readonly lease: Lease;
}

/** Its agent is at work now. */
export function isLive({ leaseState, lease }: Leased, now: Moment): boolean {
  return leaseState === "running" && !hasLapsed(lease, now);
}

/** A lease that has lapsed is over before that is noted. */
export function isOver({ leaseState, lease }: Leased, now: Moment): boolean {
  return leaseState === "over" || (leaseState === "running" && hasLapsed(lease, now));
}

/** In the monotonic time of its boot: the last moment at which it has not lapsed. */
export function lastMs({ beatMs, timeoutSeconds }: Lease): number {
  return beatMs + timeoutSeconds * 1000;
}

/** For display; nothing is decided by it. A lease of another boot has ended by now, and nobody knows when. */
export function expiresAt(lease: Lease, now: Moment): string {
  const leftMs = lease.boot === now.boot ? lastMs(lease) - now.monoMs : 0;
  return new Date(Math.min(now.wallMs + leftMs, wallMsMax)).toISOString();
}
