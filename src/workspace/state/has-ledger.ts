import { existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../files/find-project.ts";
import { stateFolder } from "./state-folder.ts";

/**
 * A head without a database is a ledger that was deleted, which is not the same as none; an empty database without
 * a head is one that is just being made. What is no folder at all is for `openStateFolder` to refuse.
 */
export function hasLedger(project: Project): boolean {
  const folder = stateFolder(project);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return found !== undefined;
  if (["audit.head", "state.db-wal"].some((name) => existsSync(join(folder, name)))) return true;
  return (statSync(join(folder, "state.db"), { throwIfNoEntry: false })?.size ?? 0) > 0;
}
