import type { ToolCall } from "../../contract/tool-call.ts";
import { hasClaimed } from "./claimed-here.ts";
import type { GuardWorld } from "./guard-world.ts";
import { agentOf } from "./who-is-calling.ts";

/** Whether a caller was started with a task or has claimed one here, as far as that is known without the ledger. */
export function hasTask(
  call: ToolCall,
  { environment, stateFolder }: Pick<GuardWorld, "environment" | "stateFolder">,
): boolean {
  if (environment.LOCKSTEP_TASK?.trim() || environment.LOCKSTEP_SOCKET) return true;
  const agent = agentOf(call);
  return agent !== null && hasClaimed(stateFolder, agent);
}
