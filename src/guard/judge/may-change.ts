import type { ToolCall } from "../../contract/tool-call.ts";
import type { ShellAnalysis } from "../../core/shell/types.ts";
import { onlyReads } from "./shell-call.ts";

/** Whether a call could change anything. True for unknown tools, and for commands if no analysis is given. */
export async function mayChange(
  { operation }: Pick<ToolCall, "operation">,
  analyze?: (command: string) => Promise<ShellAnalysis>,
): Promise<boolean> {
  switch (operation.kind) {
    case "none":
    case "read":
    case "spawn":
      return false;
    case "write":
    case "malformed":
      return true;
    case "shell":
      return analyze === undefined || !onlyReads(await analyze(operation.command));
    case "unknown":
      return !operation.reads;
  }
}
