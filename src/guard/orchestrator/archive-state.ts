import { renameSync } from "node:fs";
import { join } from "node:path";
import type { OrchestratorFolders } from "./folders.ts";
import { reportOf, writeReport } from "./report.ts";
import type { OrchestratorState } from "./state.ts";

/** The end of a session: its report, and its state beside it. */
export function archiveState(
  folders: OrchestratorFolders,
  { file, state }: { readonly file: string; readonly state: OrchestratorState },
  now: Date,
): string {
  const report = writeReport(folders, reportOf(folders, state, now));
  renameSync(file, archivedStateFile(folders, state.session_id));
  return report;
}

export function archivedStateFile({ reports }: OrchestratorFolders, id: string): string {
  return join(reports, `orchestrator-session-state-${id}.json`);
}
