import { renameSync } from "node:fs";
import { join } from "node:path";
import type { OrchestratorFolders } from "./folders.ts";
import { reportOf, writeReport } from "./report.ts";
import type { OrchestratorState } from "./state.ts";

/** Ends a session: writes its report and moves its state next to the report. */
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
