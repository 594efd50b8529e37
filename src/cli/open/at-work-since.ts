import { readGuardFacts } from "../../engine/views/guard-facts.ts";
import { liveHolders } from "../../guard/world/active.ts";
import { openSqliteLedger } from "../../ledger/sqlite/open-ledger.ts";
import { networkFileSystem } from "../../workspace/files/file-system.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { machineClock } from "../../workspace/process/machine-clock.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { headsFolder } from "../../workspace/state/state-home.ts";
import { isStoreFault } from "../output/verdicts.ts";

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
  const ledger = await openSqliteLedger({
    folder: openStateFolder(project),
    create: false,
    fileSystemOf: networkFileSystem,
    heads: headsFolder(project),
  });
  try {
    for (const { key } of liveHolders(await readGuardFacts({ ledger }), machineClock())) {
      const attempt = await ledger.attempt(key);
      if (attempt !== undefined && Date.parse(attempt.startedAt) < ms) return key;
    }
    return undefined;
  } finally {
    ledger.close();
  }
}
