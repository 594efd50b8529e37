import { type AuditLine, readAudit } from "./audit.ts";
import type { OrchestratorFolders } from "./folders.ts";
import { keyOf, type Whose } from "./session-key.ts";
import { isSessionId, newState, type OrchestratorState, type ViolationType, withViolation } from "./state.ts";

/** How much of the audit log is searched, from its end. */
const bytesMax = 4 * 1024 * 1024;

/** Rebuilds a lost session state from the audit log: its id, role and violations. */
export function recoverState(folders: OrchestratorFolders, whose: Whose): OrchestratorState | undefined {
  const isOwn = (line: AuditLine) =>
    line.client_session === whose.session && line.agent_id === whose.agentId && isSessionId(line.session_id);
  const holding = whose.session === null ? '"client_session":null' : JSON.stringify(whose.session);
  const lines = readAudit(folders, holding, { passes: isOwn, bytesMax });
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const own = lines.filter(({ session_id: id }) => id === last.session_id);
  const now = new Date(own[0]?.timestamp ?? last.timestamp);
  const begun = newState(last.agent_role, { id: last.session_id, clientSession: keyOf(whose), now });
  return own.reduce(withLine, begun);
}

function withLine(state: OrchestratorState, line: AuditLine): OrchestratorState {
  const { violation, tool, timestamp, tool_input } = line;
  if (violation === null) return state;
  const { detail, action } = violation;
  const type = violation.type as ViolationType;
  const blocked = line.outcome === "blocked";
  return withViolation(state, { type, tool, timestamp, blocked, tool_input, detail, action });
}
