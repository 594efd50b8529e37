import { readGuardFacts } from "../../engine/views/guard-facts.ts";
import { liveHolders } from "../../guard/world/active.ts";
import { isStoreFault } from "../../ledger/store-fault.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { machineClock } from "../../workspace/process/machine-clock.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { machineIn, openProjectLedger, sayWaiting } from "./open-ledger.ts";

/** A running task that was started before that time. None if the ledger is damaged, so that a person can repair it. */
export async function atWorkSince(project: Project, ms: number): Promise<string | undefined> {
  if (!hasLedger(project)) return undefined;
  try {
    return await findAtWork(project, ms);
  } catch (error) {
    if (isStoreFault(error) && !error.retryable) return undefined;
    throw error;
  }
}

async function findAtWork(project: Project, ms: number): Promise<string | undefined> {
  const ledger = await openProjectLedger(project, sayWaiting);
  try {
    const facts = await readGuardFacts({ ledger, machine: machineIn(project) });
    for (const { key } of liveHolders(facts, ledger.clock ?? machineClock())) {
      const attempt = await ledger.attempt(key);
      if (attempt !== undefined && Date.parse(attempt.startedAt) < ms) return key;
    }
    return undefined;
  } finally {
    ledger.close();
  }
}
