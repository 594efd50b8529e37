import { readGuardFacts } from "../engine/guard-facts.ts";
import { liveHolders } from "../guard/live-leases.ts";
import { openSqliteLedger } from "../ledger/sqlite/open-ledger.ts";
import { networkFileSystem } from "../workspace/file-system.ts";
import type { Project } from "../workspace/find-project.ts";
import { hasLedger } from "../workspace/has-ledger.ts";
import { machineClock } from "../workspace/machine-clock.ts";
import { openStateFolder } from "../workspace/state-folder.ts";

/** A task that was begun before that time, and is at work now. */
export async function atWorkSince(project: Project, ms: number): Promise<string | undefined> {
  if (!hasLedger(project)) return undefined;
  const folder = openStateFolder(project);
  const ledger = await openSqliteLedger({ folder, create: false, fileSystemOf: networkFileSystem });
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
