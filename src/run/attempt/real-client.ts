import type { AgentClient } from "../../clients/agent.ts";
import { claudeAgent } from "../../clients/claude/run.ts";
import { codexAgent } from "../../clients/codex/run.ts";
import { copilotAgent } from "../../clients/copilot/run.ts";
import { geminiAgent } from "../../clients/gemini/run.ts";
import { opencodeAgent } from "../../clients/opencode/run.ts";
import type { ClientSettings } from "../../clients/process/stream-client.ts";
import type { AgentClientName } from "../../contract/client-names.ts";

const clients: Readonly<Record<AgentClientName, (settings: ClientSettings) => AgentClient>> = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  opencode: opencodeAgent,
  copilot: copilotAgent,
};

export function realClient(adapter: AgentClientName, settings: ClientSettings): AgentClient {
  return clients[adapter](settings);
}
