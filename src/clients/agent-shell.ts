/** What each client sets for the commands of its agent, and a person's own shell does not have. */
const marks = {
  CLAUDECODE: "Claude Code",
  CODEX_THREAD_ID: "Codex",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  COPILOT_CLI: "Copilot",
  GEMINI_CLI: "Gemini CLI",
  OPENCODE: "OpenCode",
  CURSOR_AGENT: "Cursor",
} as const;

export const agentMarks: readonly string[] = Object.keys(marks);

/** The variable that shows whose agent runs this, if one does. */
export function agentShell(
  environment: NodeJS.ProcessEnv,
): { readonly mark: string; readonly client: string } | undefined {
  const [mark, client] = Object.entries(marks).find(([name]) => environment[name]) ?? [];
  return mark === undefined || client === undefined ? undefined : { mark, client };
}
