import { readGuardFacts } from "../engine/guard-facts.ts";
import { isOver } from "../guard/live-leases.ts";
import { openSqliteLedger } from "../ledger/sqlite/open-ledger.ts";
import { networkFileSystem } from "../workspace/file-system.ts";
import type { Project } from "../workspace/find-project.ts";
import { hasLedger } from "../workspace/has-ledger.ts";
import { machineClock } from "../workspace/machine-clock.ts";
import { openStateFolder } from "../workspace/state-folder.ts";

/** A task that was begun before that time, and is at work now with an agent that has claimed it. */
export async function claimedBefore(project: Project, ms: number): Promise<string | undefined> {
  if (!hasLedger(project)) return undefined;
  const folder = openStateFolder(project);
  const ledger = await openSqliteLedger({ folder, create: false, fileSystemOf: networkFileSystem });
  try {
    const now = machineClock().now();
    for (const holder of (await readGuardFacts({ ledger })).holders) {
      if (holder.boundAgent === null || isOver(holder, now)) continue;
      const attempt = await ledger.attempt(holder.key);
      if (attempt !== undefined && Date.parse(attempt.startedAt) < ms) return holder.key;
    }
    return undefined;
  } finally {
    ledger.close();
  }
}
