import { allow, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { OrchestratorFolders } from "../../guard/orchestrator/folders.ts";
import { type ComplianceReport, complianceReport, passingScore } from "../../guard/orchestrator/report.ts";
import { withoutReads } from "../../guard/orchestrator/state.ts";
import {
  changeFound,
  changeState,
  endFound,
  findState,
  listStates,
} from "../../guard/orchestrator/state-store.ts";
import {
  clientSession,
  complianceOf,
  complianceText,
  liveSession,
  openAgentSessions,
} from "../open/agent-sessions.ts";
import { showReading } from "../output/reading.ts";
import { printVerdict, tellVerdict } from "../output/verdicts.ts";

interface Options {
  readonly json?: boolean;
}

const orchestratorNames = ["orchestrator", "master-orchestrator"];
const none = "there is no agent session here: `lockstep agent-session init orchestrator` starts one";

/** A session that exists already keeps its record: `init` cannot be used to reset it. */
export function initCommand(role: string, { json }: Options): Promise<number> {
  const text = ({ details }: Verdict) => `agent session ${details?.session_id}, role ${details?.agent_role}`;
  return tellVerdict({ json, text }, async () => {
    const folders = await openAgentSessions();
    const name = role.trim().toLowerCase();
    if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name))
      return deny("R-IN-001", `\`${role}\` is not a valid role name: use \`orchestrator\` or another name`);
    const isOrchestrator = orchestratorNames.includes(name);
    const now = new Date();
    const whose = { session: clientSession(), agentId: null };
    const agentRole = isOrchestrator ? "orchestrator" : "subagent";
    const state = changeState(folders, { whose, now, role: agentRole }, (found) => found);
    if (isOrchestrator) folders.showUsed(now);
    else showIfOver(folders);
    return allow({
      session_id: state.session_id,
      agent_role: state.agent_role,
      created_at: state.created_at,
    });
  });
}

export function resetCommand({ json }: Options): Promise<number> {
  const text = ({ details }: Verdict) => `agent session ${details?.session_id}: the read count is now 0`;
  return tellVerdict({ json, text }, async () => {
    const folders = await openAgentSessions();
    const found = liveSession(folders);
    if (found === undefined) return deny("R-IN-001", none);
    changeFound(folders, found.file, withoutReads);
    return allow({ session_id: found.state.session_id, read_count: 0 });
  });
}

export function summaryCommand({ json }: Options): Promise<number> {
  const text = (report: ComplianceReport) => complianceText(report, passingScore);
  return showReading<ComplianceReport>({ json, text }, async () => {
    const folders = await openAgentSessions();
    const now = new Date();
    return complianceOf(folders, undefined, now) ?? emptyReport(now);
  });
}

/** The report without a session: no calls, no violations. */
function emptyReport(now: Date): ComplianceReport {
  const at = now.toISOString();
  return complianceReport([], {
    session_id: "none",
    session_start: at,
    session_end: at,
    agent_role: "orchestrator",
  });
}

interface ClearOptions extends Options {
  readonly archive?: boolean;
  readonly dryRun?: boolean;
}

/** An unreadable state file is moved aside, too. */
export function clearCommand({ json, archive, dryRun }: ClearOptions): Promise<number> {
  const text = ({ details }: Verdict) =>
    details?.session_id === null
      ? "there is no agent session"
      : `agent session ${details?.session_id} ${details?.dry_run === true ? "would end" : "has ended"}${details?.report === undefined ? "" : `: ${details.report}`}`;
  return tellVerdict({ json, text }, async () => {
    const folders = await openAgentSessions();
    const now = new Date();
    if (dryRun !== true) findState(folders, { whose: { session: clientSession(), agentId: null }, now });
    const found = liveSession(folders);
    if (found === undefined) return allow({ session_id: null });
    if (dryRun === true) return allow({ session_id: found.state.session_id, dry_run: true });
    const report = archive === true ? endFound(folders, found, now) : undefined;
    if (archive !== true) changeFound(folders, found.file, () => undefined);
    showIfOver(folders);
    return allow({ session_id: found.state.session_id, ...(report === undefined ? {} : { report }) });
  });
}

/** The compliance gate: exit 0 if the score is high enough. */
export function validateCommand({ sessionId }: { readonly sessionId: string }): Promise<number> {
  return printVerdict(async () => {
    const folders = await openAgentSessions();
    const report = complianceOf(folders, sessionId, new Date());
    if (report === undefined) return deny("R-IN-001", `there is no agent session \`${sessionId}\``);
    const { compliance_score: score } = report;
    if (score >= passingScore) return allow({ ...report });
    const reason = `the compliance score is ${score}, but at least ${passingScore} is required: see \`lockstep report ${sessionId}\``;
    return deny("R-OR-001", reason, { ...report });
  });
}

function showIfOver(folders: OrchestratorFolders): void {
  if (listStates(folders).every(({ state }) => state.agent_role !== "orchestrator")) folders.showEnded();
}
