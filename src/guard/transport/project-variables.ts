import type { ClientName } from "../../contract/client-names.ts";

/** The variable in which each client names the project to its hooks. Null: it sets none. */
export const projectVariables: Readonly<Record<ClientName, string | null>> = {
  claude: "CLAUDE_PROJECT_DIR",
  codex: null,
  gemini: "GEMINI_PROJECT_DIR",
  opencode: null,
  copilot: "COPILOT_PROJECT_DIR",
  cursor: null,
};
