import { join } from "node:path";
import type { ClientName } from "../../contract/client-names.ts";

const content = "canary\n";

const payloads: Readonly<Record<ClientName, (root: string, file: string) => object>> = {
  claude: (root, file) => ({
    ...{ session_id: "canary", cwd: root, tool_use_id: "canary" },
    ...{ hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path: file, content } },
  }),
  codex: (root) => ({
    ...{ session_id: "canary", cwd: root, tool_use_id: "canary" },
    ...{ hook_event_name: "PreToolUse", tool_name: "apply_patch" },
    tool_input: { command: "*** Begin Patch\n*** Add File: canary.txt\n+canary\n*** End Patch" },
  }),
  gemini: (root, file) => ({
    ...{ session_id: "canary", cwd: root, hook_event_name: "BeforeTool" },
    ...{ tool_name: "write_file", tool_input: { file_path: file, content } },
  }),
  opencode: (root, file) => ({
    ...{ event: "tool.execute.before", directory: root },
    input: { tool: "write", sessionID: "canary", callID: "canary" },
    output: { args: { filePath: file, content } },
  }),
  copilot: (root, file) => ({
    ...{ sessionId: "canary", cwd: root, toolName: "create" },
    toolArgs: { path: file, file_text: content },
  }),
  cursor: (root, file) => ({
    ...{ conversation_id: "canary", workspace_roots: [root], hook_event_name: "preToolUse" },
    ...{ tool_name: "Write", tool_input: { file_path: file, content } },
  }),
};

/** A payload for a write that the client is about to make, in the client's format. */
export function canaryPayload(name: ClientName, root: string): unknown {
  return payloads[name](root, join(root, "canary.txt"));
}
