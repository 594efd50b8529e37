import { ageSeconds } from "../../core/leases/lease.ts";
import type { PointName } from "../../core/points/points.ts";
import { stateWords } from "../../core/tasks/states.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";
import { takeSnapshot } from "./take-snapshot.ts";

type Source = Pick<Engine, "ledger" | "clock">;

/** What a hook point's payload left out, from the ledger. */
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
    if (attempt?.leaseState !== "running") continue; // a person's has no clock
    watched.push({
      task_id: key,
      status: stateWords[state].hook,
      timeout_seconds: attempt.lease.timeoutSeconds,
      last_heartbeat_at: heardAt(attempt, clock),
    });
  }
  return watched;
}

/** The age by the ledger's clock, told as a time of the wall clock; a lease of another boot is older than all. */
function heardAt({ lease }: Attempt, clock: Engine["clock"]): string {
  const now = clock.now();
  const age = ageSeconds(lease, now);
  return new Date(Number.isFinite(age) ? now.wallMs - age * 1000 : 0).toISOString();
}
