import { type Deny, deny } from "../../core/rules/verdict.ts";
import { listSessions } from "../../engine/views/list-sessions.ts";
import {
  type ComplianceReport,
  passingScore,
  sessionReport,
  writeReport,
} from "../../guard/orchestrator/report.ts";
import { complianceOf, complianceText, liveSession, openAgentSessions } from "../open/agent-sessions.ts";
import { openEngine } from "../open/open-engine.ts";
import { showReading } from "../output/reading.ts";
import { reportAgainCommand } from "./report-again.ts";

/**
 * `lockstep report`: how an agent session, or the agents of a Lockstep session, followed the rules. For a run without
 * such a record, the report of the run.
 */
export async function reportCommand(
  name: string | undefined,
  options: { readonly json?: boolean },
): Promise<number> {
  const reading = readCompliance(name);
  const isRun = await reading.then(
    (found) => found === "run",
    () => false,
  );
  if (isRun) return reportAgainCommand(name, options);
  const text = (report: ComplianceReport) => complianceText(report, passingScore);
  return showReading<ComplianceReport>(
    { json: options.json, text },
    () => reading as Promise<ComplianceReport | Deny>,
  );
}

async function readCompliance(name: string | undefined): Promise<ComplianceReport | Deny | "run"> {
  const folders = await openAgentSessions();
  const now = new Date();
  const report = complianceOf(folders, name, now);
  if (report !== undefined && liveSession(folders, name) !== undefined) writeReport(folders, report);
  const found = report ?? (name === undefined ? undefined : sessionReport(folders, name, now));
  if (found !== undefined) return found;
  return (await isRunSession(name)) ? "run" : nothing(name);
}

async function isRunSession(name: string | undefined): Promise<boolean> {
  using opened = await openEngine();
  const sessions = await listSessions(opened.engine);
  return sessions.some((session) => name === undefined || session.name === name);
}

function nothing(name: string | undefined): Deny {
  return deny(
    "R-IN-001",
    name === undefined
      ? "there is nothing to report on: no agent session and no run"
      : `there is no record of \`${name}\`: name an agent session (\`sess_…\`) or a session from \`lockstep session list\``,
  );
}
