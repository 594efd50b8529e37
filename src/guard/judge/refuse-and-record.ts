import type { ToolCall } from "../../contract/tool-call.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { GuardViolation } from "../../engine/attempts/record-violation.ts";
import type { Judged } from "../world/guard-world.ts";
import { agentOf, type Caller } from "../world/who-is-calling.ts";
import { refused } from "./answers.ts";
import type { Judging } from "./judge-task-call.ts";

/** Refuses the call and records it. An agent that keeps trying the same target is told to stop. */
export async function refuseAndRecord(caller: Caller, refusal: Deny, judging: Judging): Promise<Judged> {
  const { call, store, settings, world } = judging;
  const target = targetIn(refusal, world.checkout ?? world.place.root);
  const violation = violationOf(caller, call, { kind: "refused", refusal, target });
  const { times, loops } = await store.record(violation);
  if (caller.kind === "task" && settings.onDeny === "block") await store.block(caller.holder.key, refusal);
  const advice = `this was refused ${times} times: stop trying it; ask for more scope, or report the task as blocked`;
  return refused(caller, refusal, loops ? advice : "");
}

/** Content is not kept, only its length (INV-8). */
export function violationOf(
  caller: Caller,
  call: ToolCall,
  { kind, refusal, target }: Pick<GuardViolation, "kind" | "target"> & { readonly refusal: Deny },
): GuardViolation {
  const { operation } = call;
  const bytes =
    operation.kind === "write" ? operation.bytes : operation.kind === "shell" ? operation.command.length : 0;
  return {
    kind,
    task: caller.kind === "task" ? caller.holder.key : null,
    epoch: caller.kind === "task" ? caller.holder.epoch : null,
    agent: agentOf(call),
    tool: call.tool,
    code: refusal.code,
    target,
    reason: refusal.reason,
    bytes,
  };
}

/** The path if there is one, so that different spellings of one target count together. */
function targetIn({ reason, details }: Deny, root: string): string {
  const { path } = details;
  if (typeof path !== "string") return reason;
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
