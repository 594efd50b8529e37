import { activeFileName, isShownActive } from "../../workspace/state/active-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Set for agents that Lockstep has started. */
const agentVariables = ["LOCKSTEP_SOCKET", "LOCKSTEP_TASK"];
/** The others tell their role with these. */
const roleVariables = ["CLAUDE_AGENT_ROLE", "CLAUDE_AGENT_NAME"];

/**
 * For a caller that cannot ask the ledger: the sign in the state folder says so, or the caller is itself at work. An
 * orchestrator is one from its first call on, when nothing is active yet.
 */
export function seemsActive(folder: string, environment: Environment): boolean {
  return isShownActive(folder) || isAttempt(environment) || /orchestrator/i.test(roleIn(environment));
}

export function isAttempt(environment: Environment): boolean {
  return textOf(agentVariables, environment) !== "";
}

export function roleIn(environment: Environment): string {
  return textOf(roleVariables, environment);
}

function textOf(names: readonly string[], environment: Environment): string {
  return names.map((name) => environment[name] ?? "").join("");
}

/** The same in a shell that has the state folder in `$s`: words that are empty or not, and commands that succeed or not. */
export const inShell = {
  attempt: wordOf(agentVariables),
  role: wordOf(roleVariables),
  isShown: `[ -e "$s/${activeFileName}" ]`,
  isOrchestrator: `case ${wordOf(roleVariables)} in *[Oo]rchestrator* | *ORCHESTRATOR*) ;; *) false ;; esac`,
} as const;

function wordOf(names: readonly string[]): string {
  return names.map((name) => `$${name}`).join("");
}
