import { isShownActive } from "../../workspace/active-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** For whoever cannot ask the ledger: the sign in the state folder says so, or the caller is itself at work. */
export function seemsActive(folder: string, environment: Environment): boolean {
  return isShownActive(folder) || isAttempt(environment) || /orchestrator/i.test(roleIn(environment));
}

export function isAttempt({ LOCKSTEP_SOCKET, LOCKSTEP_TASK }: Environment): boolean {
  return Boolean(LOCKSTEP_SOCKET || LOCKSTEP_TASK);
}

/** An orchestrator is one from its first call on, when nothing is active yet. */
export function roleIn({ CLAUDE_AGENT_ROLE = "", CLAUDE_AGENT_NAME = "" }: Environment): string {
  return CLAUDE_AGENT_ROLE + CLAUDE_AGENT_NAME;
}
