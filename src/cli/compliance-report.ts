import {
  type ComplianceReport,
  passingScore,
  sessionReport,
  writeReport,
} from "../guard/orchestrator/report.ts";
import { complianceOf, complianceText, liveSession, openAgentSessions } from "./agent-sessions.ts";
import { showReading } from "./reading.ts";
import { reportAgainCommand } from "./report-again.ts";

/**
 * `lockstep report`: how an agent session, or the agents of a session of ours, kept to the rules; of a run that nothing
 * of the kind is known of, what became of it.
 */
export async function reportCommand(
  name: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const reading = readCompliance(name);
  const isRun = await reading.then(
    (found) => found === undefined,
    () => false,
  );
  if (isRun) return reportAgainCommand(name, json === undefined ? {} : { json });
  const text = (report: ComplianceReport) => complianceText(report, passingScore);
  return showReading<ComplianceReport>({ json, text }, () => reading as Promise<ComplianceReport>);
}

async function readCompliance(name: string | undefined): Promise<ComplianceReport | undefined> {
  const folders = await openAgentSessions();
  const now = new Date();
  const report = complianceOf(folders, name, now);
  if (report !== undefined && liveSession(folders, name) !== undefined) writeReport(folders, report);
  return report ?? (name === undefined ? undefined : sessionReport(folders, name, now));
}
