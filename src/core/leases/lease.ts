import type { Moment } from "./clock.ts";

/** A lock lasts `timeoutSeconds` after its last heartbeat, which was at `beatMs` in the monotonic time of `boot`. */
export interface Lease {
  readonly boot: string;
  readonly beatMs: number;
  readonly timeoutSeconds: number;
}

/** The last moment that a `Date` can hold. */
const wallMsMax = 8.64e15;

/** Infinity for a lease of another boot: no process survives a reboot. */
export function ageSeconds(lease: Lease, now: Moment): number {
  return lease.boot === now.boot ? (now.monoMs - lease.beatMs) / 1000 : Infinity;
}

/**
 * Every lease is valid for its full time after `notBeforeMs` (monotonic), the end of a sleep, and after the restart of
 * the ledger's server.
 */
export function hasLapsed(lease: Lease, now: Moment, notBeforeMs = -Infinity): boolean {
  const beatMs = Math.max(lease.beatMs, notBeforeMs, now.graceMs ?? -Infinity);
  return ageSeconds({ ...lease, beatMs }, now) > lease.timeoutSeconds;
}

/** A machine that the ledger has not heard from for this time is gone. It has ended its agents before (`SelfFence`). */
export const goneSeconds = 120;

/** `beatMs`: when the machine last asked the ledger for anything, in the ledger's time. */
export function isGone({ beatMs }: { readonly beatMs: number }, now: Moment, notBeforeMs?: number): boolean {
  return hasLapsed({ boot: now.boot, beatMs, timeoutSeconds: goneSeconds }, now, notBeforeMs);
}

/** The lease of an attempt. `held`: it waits for a review or a person, and does not expire. */
interface Leased {
  readonly leaseState: "running" | "held" | "over";
  readonly lease: Lease;
}

/** True while the attempt's agent is at work. */
export function isLive({ leaseState, lease }: Leased, now: Moment): boolean {
  return leaseState === "running" && !hasLapsed(lease, now);
}

/** A lapsed lease counts as over even before the ledger records it. */
export function isOver({ leaseState, lease }: Leased, now: Moment): boolean {
  return leaseState === "over" || (leaseState === "running" && hasLapsed(lease, now));
}

/** Whether an attempt runs on this machine. A ledger that is not shared names no machines. */
export function isHere(attempt: { readonly machine?: string }, machine: string | undefined): boolean {
  return attempt.machine === undefined || attempt.machine === machine;
}

/** The last moment at which the lease is valid, in the monotonic time of its boot. */
export function lastMs({ beatMs, timeoutSeconds }: Lease): number {
  return beatMs + timeoutSeconds * 1000;
}

/** For display only. A lease of another boot has ended at an unknown time; the current time is shown. */
export function expiresAt(lease: Lease, now: Moment): string {
  const leftMs = lease.boot === now.boot ? lastMs(lease) - now.monoMs : 0;
  return new Date(Math.min(now.wallMs + leftMs, wallMsMax)).toISOString();
}
