import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BreakerMode } from "../../core/rules/breaker.ts";
import type { Project } from "../files/find-project.ts";
import { stateFolder } from "./state-folder.ts";

/**
 * The circuit breaker's shadow on disk: hook commands are called before every write and must not open the
 * ledger for it. The ledger stays the truth; setting the breaker again fixes a shadow that was lost.
 */
export function showBreaker(project: Project, mode: BreakerMode): void {
  const file = breakerFile(project);
  if (mode === "CLEAR") rmSync(file, { force: true });
  else writeFileSync(file, `${mode}\n`, { mode: 0o600 });
}

export function shownBreaker(project: Project): BreakerMode {
  const file = breakerFile(project);
  if (!existsSync(file)) return "CLEAR";
  // Something is there: what cannot be read stops rather than lets pass.
  return readFileSync(file, "utf8").trim() === "PAUSE" ? "PAUSE" : "STOP";
}

function breakerFile(project: Project): string {
  return join(stateFolder(project), "STOP_ALL");
}
