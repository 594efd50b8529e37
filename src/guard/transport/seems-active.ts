import { activeFileName, isShownActive } from "../../workspace/state/active-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Set for agents that Lockstep has started. */
const agentVariables = ["LOCKSTEP_SOCKET", "LOCKSTEP_TASK"];
/** Other agents name their role with these. */
const roleVariables = ["CLAUDE_AGENT_ROLE", "CLAUDE_AGENT_NAME"];

/**
 * For a caller that cannot read the ledger: true if the state folder has the `active` mark, or if the caller itself is an
 * agent of Lockstep's or an orchestrator. An orchestrator counts from its first call on, before anything is active.
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

/**
 * The same tests in a shell with the state folder in `$s`: words that are empty or not, and commands that succeed or
 * fail.
 */
export const inShell = {
  attempt: wordOf(agentVariables),
  role: wordOf(roleVariables),
  isShown: `[ -e "$s/${activeFileName}" ]`,
  isOrchestrator: `case ${wordOf(roleVariables)} in *[Oo]rchestrator* | *ORCHESTRATOR*) ;; *) false ;; esac`,
} as const;

function wordOf(names: readonly string[]): string {
  return names.map((name) => `$${name}`).join("");
}
