import type { GuardedClient } from "../../contract/tool-call.ts";
import { field, isText } from "../../core/values/fields.ts";
import { type KnownParts, readCall } from "../payload/read-call.ts";

/** Cursor's older events are each for one tool, whose fields are at the top level of the payload. */
export const parse: GuardedClient["parse"] = (payload, at) => {
  const roots = field(payload, "workspace_roots");
  const folder = field(payload, "cwd") ?? (Array.isArray(roots) ? roots[0] : undefined);
  return readCall(payload, at, { folder, ...toolPart(payload) });
};

function toolPart(payload: unknown): KnownParts {
  const of = (name: string) => field(payload, name);
  switch (of("hook_event_name")) {
    case "beforeShellExecution":
    case "afterShellExecution":
      return {
        tool: "Shell",
        input: { command: of("command") },
        response: of("output"),
        replaceable: false,
      };
    case "beforeReadFile":
    case "beforeTabFileRead":
      return { tool: "Read", input: { file_path: of("file_path") } };
    case "afterFileEdit":
    case "afterTabFileEdit":
      return { tool: "Edit", input: { file_path: of("file_path"), edits: of("edits") } };
    case "beforeMCPExecution":
    case "afterMCPExecution": {
      // A server's tool may have the same name as a tool of Cursor.
      const tool = of("tool_name");
      return isText(tool) ? { tool: `MCP:${tool}` } : {};
    }
    default:
      return {};
  }
}
