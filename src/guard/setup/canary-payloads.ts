import { join } from "node:path";
import type { ClientName } from "../../contract/client-names.ts";

/** A payload for a write that the client is about to make, in the client's format. */
export function canaryPayload(name: ClientName, root: string): unknown {
  const file = join(root, "canary.txt");
  const content = "canary\n";
  const asClaude = { session_id: "canary", cwd: root, tool_use_id: "canary" };
  switch (name) {
    case "claude":
      return {
        ...asClaude,
        ...{ hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path: file, content } },
      };
    case "codex": {
      const command = "*** Begin Patch\n*** Add File: canary.txt\n+canary\n*** End Patch";
      return {
        ...asClaude,
        ...{ hook_event_name: "PreToolUse", tool_name: "apply_patch", tool_input: { command } },
      };
    }
    case "gemini":
      return {
        ...{ session_id: "canary", cwd: root, hook_event_name: "BeforeTool" },
        ...{ tool_name: "write_file", tool_input: { file_path: file, content } },
      };
    case "copilot":
      return {
        ...{ sessionId: "canary", cwd: root, toolName: "create" },
        toolArgs: { path: file, file_text: content },
      };
    case "opencode":
      return {
        ...{ event: "tool.execute.before", directory: root },
        input: { tool: "write", sessionID: "canary", callID: "canary" },
        output: { args: { filePath: file, content } },
      };
    case "cursor":
      return {
        ...{ conversation_id: "canary", workspace_roots: [root], hook_event_name: "preToolUse" },
        ...{ tool_name: "Write", tool_input: { file_path: file, content } },
      };
  }
}
