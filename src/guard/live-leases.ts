import type { Clock, Moment } from "../core/leases/clock.ts";
import { hasLapsed } from "../core/leases/lease.ts";
import type { GuardFacts, Holder } from "../engine/guard-facts.ts";

/** A lease that has ended is over before anybody takes note; one that waits for a review or a person has no clock. */
export function isOver({ leaseState, lease }: Holder, now: Moment): boolean {
  return leaseState === "over" || (leaseState === "running" && hasLapsed(lease, now));
}

/** Those whose agents are at work now. */
export function liveHolders({ holders }: GuardFacts, clock: Clock): readonly Holder[] {
  const now = clock.now();
  return holders.filter((holder) => isLive(holder, now));
}

/** Whether there are any: for a call that need not look at all of them. */
export function hasLiveHolder({ holders }: GuardFacts, clock: Clock): boolean {
  const now = clock.now();
  return holders.some((holder) => isLive(holder, now));
}

function isLive(holder: Holder, now: Moment): boolean {
  return holder.leaseState === "running" && !isOver(holder, now);
}
