import { ageSeconds } from "../../core/leases/lease.ts";
import type { PointName } from "../../core/points/points.ts";
import { stateWords } from "../../core/tasks/states.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";
import { takeSnapshot } from "./take-snapshot.ts";

type Source = Pick<Engine, "ledger" | "clock">;

/** Supplies from the ledger what a hook point's payload leaves out. */
export async function ledgerFacts(
  source: Source,
  point: PointName,
): Promise<Readonly<Record<string, unknown>>> {
  switch (point) {
    case "PreDispatch":
    case "PreExecution":
      return { active_locks: await pathLocks(source) };
    case "OnLockUpdate":
      return { locks: await pathLocks(source) };
    case "WatchdogTick":
      return { now: new Date(source.clock.now().wallMs).toISOString(), tasks: await watchedTasks(source) };
    case "PreCompact":
      return { snapshot: await takeSnapshot(source) };
    default:
      return {};
  }
}

async function pathLocks({ ledger }: Source) {
  const locks = await ledger.locks({ active: true });
  return locks
    .filter(({ kind }) => kind === "path")
    .map(({ task, resource, active }) => ({ task_id: task, resource, active }));
}

async function watchedTasks({ ledger, clock }: Source) {
  const tasks = await ledger.tasks({ states: ["IN_PROGRESS"] });
  const watched = [];
  for (const { key, state } of tasks) {
    const attempt = await ledger.attempt(key);
    if (attempt?.leaseState !== "running") continue; // a task held by a person has no timeout
    watched.push({
      task_id: key,
      status: stateWords[state].hook,
      timeout_seconds: attempt.lease.timeoutSeconds,
      last_heartbeat_at: heardAt(attempt, clock),
    });
  }
  return watched;
}

/**
 * Converts the lease's age by the ledger's clock to wall-clock time; a lease from an earlier boot counts as
 * infinitely old.
 */
function heardAt({ lease }: Attempt, clock: Engine["clock"]): string {
  const now = clock.now();
  const age = ageSeconds(lease, now);
  return new Date(Number.isFinite(age) ? now.wallMs - age * 1000 : 0).toISOString();
}
