import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "./find-project.ts";
import { stateFolder } from "./state-folder.ts";

/** A head without a database is a ledger that was deleted, which is not the same as none. */
export function hasLedger(project: Project): boolean {
  const folder = stateFolder(project);
  return ["state.db", "audit.head"].some((name) => existsSync(join(folder, name)));
}
