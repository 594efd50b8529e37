import { type OrchestratorFolders, orchestratorFolders } from "../../guard/orchestrator/folders.ts";
import {
  type ComplianceReport,
  newestReport,
  reportOf,
  writtenReport,
} from "../../guard/orchestrator/report.ts";
import { keyOf } from "../../guard/orchestrator/session-key.ts";
import { isSessionId } from "../../guard/orchestrator/state.ts";
import { type FoundState, listStates, usedWithinMs } from "../../guard/orchestrator/state-store.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { loadConfig } from "../../workspace/config/load-config.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { localTime } from "../../workspace/process/local-time.ts";
import { CommandFault } from "../output/command-fault.ts";
import { counted, printable, table } from "../output/table.ts";
import { whoCalls } from "./who-calls.ts";

/** The folders of this project's agent sessions. Refused to an agent with a task. */
export async function openAgentSessions(): Promise<OrchestratorFolders> {
  if ((await whoCalls()).kind === "task")
    throw new CommandFault(
      "R-AU-001",
      "an agent with a task cannot use agent sessions: continue with the task",
    );
  return sessionFolders();
}

async function sessionFolders(): Promise<OrchestratorFolders> {
  const project = findProject(currentFolder());
  const loaded = await loadConfig(project.place.root);
  if ("faults" in loaded) throw new CommandFault("E-CONFIG", loaded.faults.map(faultLine).join("\n"));
  return orchestratorFolders(project, loaded.config.guard.root);
}

/** Whether an agent's session is an orchestrator's: its own, or one that is not bound to a client session yet. */
export async function isOrchestrating({
  session,
}: {
  readonly session: string | undefined;
}): Promise<boolean> {
  const key = keyOf({ session: session ?? null, agentId: null });
  return listStates(await sessionFolders()).some(
    ({ state, usedMs }) =>
      state.agent_role === "orchestrator" &&
      Date.now() - usedMs < usedWithinMs &&
      (key === null || state.client_session === null || state.client_session === key),
  );
}

/** The client session that this command runs in, if the client sets its id. */
export function clientSession(): string | null {
  return process.env.CLAUDE_CODE_SESSION_ID?.trim() || null;
}

/** The live session with that id, ours or the client's. Without a name, the client's own session, else the last used one. */
export function liveSession(folders: OrchestratorFolders, name?: string): FoundState | undefined {
  const live = listStates(folders);
  const named = (id: string | null) =>
    live.find(({ state }) => state.session_id === id || state.client_session === id);
  if (name !== undefined) return named(name);
  const own = clientSession();
  return own === null ? live[0] : named(own);
}

/** The compliance of a live or ended session; without a name, of the live one, else of the one that ended last. */
export function complianceOf(
  folders: OrchestratorFolders,
  name: string | undefined,
  now: Date,
): ComplianceReport | undefined {
  const live = liveSession(folders, name);
  if (live !== undefined) return reportOf(folders, live.state, now);
  if (name === undefined) return newestReport(folders);
  return isSessionId(name) ? writtenReport(folders, name) : undefined;
}

export function complianceText(report: ComplianceReport, passing: number): string {
  const { compliance_score: score, violations, violation_breakdown: breakdown } = report;
  const { allowed, warned, blocked } = violations;
  const rows = breakdown.map(({ type, count, blocked: isBlocked }) => [
    type,
    String(count),
    isBlocked === true ? "blocked" : "warned",
  ]);
  return [
    `${printable(report.session_id)} (${report.agent_role}), ${localTime(report.session_start)} to ${localTime(report.session_end)}\n`,
    `score ${score} of 100: ${score >= passing ? "passed" : `not passed, at least ${passing} is required`}\n`,
    `${counted(report.total_tool_calls, "call")}: ${allowed} allowed, ${warned} warned, ${blocked} blocked\n`,
    ...(rows.length === 0 ? [] : ["\n", table(["VIOLATION", "COUNT", "OUTCOME"], rows)]),
    ...(report.recommendations.length === 0 ? [] : ["\n"]),
    ...report.recommendations.map((text) => `- ${text}\n`),
  ].join("");
}
