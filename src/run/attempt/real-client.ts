import type { AgentClient } from "../../clients/agent.ts";
import { claudeAgent } from "../../clients/claude/run.ts";
import { codexAgent } from "../../clients/codex/run.ts";
import { copilotAgent } from "../../clients/copilot/run.ts";
import { geminiAgent } from "../../clients/gemini/run.ts";
import { opencodeAgent } from "../../clients/opencode/run.ts";
import type { ClientSettings } from "../../clients/process/stream-client.ts";
import type { Config } from "../../contract/config.ts";

type Adapter = Exclude<Config["agents"][string]["adapter"], "command" | "script">;

const clients: Readonly<Record<Adapter, (settings: ClientSettings) => AgentClient>> = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  opencode: opencodeAgent,
  copilot: copilotAgent,
};

export function realClient(adapter: Adapter, settings: ClientSettings): AgentClient {
  return clients[adapter](settings);
}
