import type { Clock } from "../core/leases/clock.ts";
import { hasLapsed } from "../core/leases/lease.ts";
import type { Change, Ledger } from "../ledger/ledger.ts";
import { showActive, tidyActive } from "../workspace/active-file.ts";

interface Watched {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The state folder. */
  readonly folder: string;
  isRunAlive(): boolean;
}

/** A ledger that shows to hooks, before and after each commit, that a lease is running. */
export function showingActive(ledger: Ledger, folder: string): Ledger {
  const commit = ledger.commit.bind(ledger);
  return Object.assign(ledger, {
    commit: async (change: Change) => {
      const starts = change.attempts?.some(({ leaseState }) => leaseState === "running") ?? false;
      if (starts) showActive(folder);
      const committed = await commit(change);
      if (starts) showActive(folder);
      return committed;
    },
  });
}

/** Takes the sign away where it stands for nothing. */
export function tidyShownActive({ ledger, clock, folder, isRunAlive }: Watched): Promise<void> {
  return tidyActive(folder, {
    nowMs: clock.now().wallMs,
    isActive: async () => {
      if (isRunAlive()) return true;
      const attempts = await ledger.runningAttempts();
      const now = clock.now();
      return attempts.some(({ lease }) => !hasLapsed(lease, now));
    },
  });
}
