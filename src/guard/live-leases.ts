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
  return holders.filter((holder) => holder.leaseState === "running" && !isOver(holder, now));
}
