import { deny } from "../core/rules/verdict.ts";
import {
  type ComplianceReport,
  passingScore,
  sessionReport,
  writeReport,
} from "../guard/orchestrator/report.ts";
import { complianceOf, complianceText, liveSession, openAgentSessions } from "./agent-sessions.ts";
import { showReading } from "./reading.ts";

/** `lockstep report`: how an agent session, or the agents of a session of ours, kept to the rules. */
export function reportCommand(
  name: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const text = (report: ComplianceReport) => complianceText(report, passingScore);
  return showReading<ComplianceReport>({ json, text }, async () => {
    const folders = await openAgentSessions();
    const now = new Date();
    const report = complianceOf(folders, name, now);
    if (report !== undefined && liveSession(folders, name) !== undefined) writeReport(folders, report);
    const found = report ?? (name === undefined ? undefined : sessionReport(folders, name, now));
    if (found !== undefined) return found;
    return deny(
      "R-IN-001",
      name === undefined
        ? "there is no agent session to report on: name one, or a session whose agents were guarded"
        : `nothing was recorded of \`${name}\`: name an agent session (\`sess_…\`) or a session`,
    );
  });
}
