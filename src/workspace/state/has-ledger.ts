import { existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../files/find-project.ts";
import { knownLedgerUrl } from "./ledger-url.ts";
import { stateFolder } from "./state-folder.ts";

/** Whether this machine has a ledger of its own, used or not. */
export function hasOwnLedger(project: Project): boolean {
  return (statSync(join(stateFolder(project), "state.db"), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * True also for a head without a database: that ledger was deleted. An empty database without a head does not count,
 * because it is being created. A state folder that is not a folder counts; `openStateFolder` refuses it. A ledger that
 * is shared with other machines always counts.
 */
export function hasLedger(project: Project): boolean {
  const folder = stateFolder(project);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) return true;
  if (knownLedgerUrl(project) !== undefined) return true;
  if (found === undefined) return false;
  if (["audit.head", "state.db-wal"].some((name) => existsSync(join(folder, name)))) return true;
  return hasOwnLedger(project);
}
