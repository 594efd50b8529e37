import type { Clock } from "../../core/leases/clock.ts";
import { isHere, isLive } from "../../core/leases/lease.ts";
import type { GuardFacts, Holder } from "../../engine/views/guard-facts.ts";
import type { Attempt, Change, Ledger } from "../../ledger/ledger.ts";
import { isUnreachable } from "../../ledger/store-fault.ts";
import { showActive, tidyActive } from "../../workspace/state/active-file.ts";
import type { GuardStore, GuardWorld } from "./guard-world.ts";

interface AtWork {
  readonly clock: Clock;
  /** This machine, if the ledger is shared by several. */
  readonly machine?: string;
  isRunAlive(): boolean;
}

type World = AtWork & Pick<GuardWorld, "hasOrchestrated" | "orchestrators">;

/** Whether anything must be guarded: a live lease, a run, or an orchestrator's session. */
export async function isActive(world: World, store: GuardStore | undefined): Promise<boolean> {
  if (await isAtWork(world, async () => (await store?.facts())?.holders ?? [])) return true;
  return (await world.hasOrchestrated()) && ((await world.orchestrators?.())?.isUsed() ?? false);
}

type Leased = Parameters<typeof isLive>[0];

async function isAtWork(
  { clock, isRunAlive }: AtWork,
  leased: () => Promise<readonly Leased[]>,
): Promise<boolean> {
  if (isRunAlive()) return true;
  const found = await leased();
  const now = clock.now();
  return found.some((one) => isLive(one, now));
}

/** The tasks whose agents are working now. */
export function liveHolders({ holders }: GuardFacts, clock: Clock): readonly Holder[] {
  const now = clock.now();
  return holders.filter((holder) => isLive(holder, now));
}

/** Faster than `liveHolders` if only the existence matters. */
export function hasLiveHolder({ holders }: GuardFacts, clock: Clock): boolean {
  const now = clock.now();
  return holders.some((holder) => isLive(holder, now));
}

/** Wraps a ledger so that it marks a running lease for the hooks, before and after each commit. */
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

interface Shown extends AtWork {
  readonly ledger: Ledger;
  readonly folder: string;
}

/** Removes the mark if nothing is active. An orchestrator's session has a mark with its own expiry. */
export function tidyShownActive({ ledger, folder, ...at }: Shown): Promise<void> {
  return tidyActive(folder, {
    nowMs: at.clock.now().wallMs,
    isActive: async () => {
      try {
        const isOwn = (attempt: Attempt) => isHere(attempt, at.machine);
        return await isAtWork(at, async () => (await ledger.runningAttempts()).filter(isOwn));
      } catch (error) {
        // What cannot be known now may be active.
        if (isUnreachable(error)) return true;
        throw error;
      }
    },
  });
}
