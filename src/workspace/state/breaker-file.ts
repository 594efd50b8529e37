import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BreakerMode } from "../../core/rules/breaker.ts";
import type { Project } from "../files/find-project.ts";
import { stateFolder } from "./state-folder.ts";

/**
 * A copy of the circuit breaker's state in a file. Hook commands run before every write and must not open the ledger
 * just for this. The ledger is authoritative; setting the breaker again restores a lost file.
 */
export function showBreaker(project: Project, mode: BreakerMode): void {
  const file = breakerFile(project);
  if (mode === "CLEAR") rmSync(file, { force: true });
  else writeFileSync(file, `${mode}\n`, { mode: 0o600 });
}

export function shownBreaker(project: Project): BreakerMode {
  const file = breakerFile(project);
  if (!existsSync(file)) return "CLEAR";
  // A file with any other content means STOP.
  return readFileSync(file, "utf8").trim() === "PAUSE" ? "PAUSE" : "STOP";
}

function breakerFile(project: Project): string {
  return join(stateFolder(project), "STOP_ALL");
}
