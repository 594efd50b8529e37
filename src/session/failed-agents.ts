import { isSynthesised } from "../core/tasks/result.ts";
import type { Task } from "../core/tasks/task.ts";
import { field } from "../core/values/fields.ts";
import { failureAdvice } from "../run/conduct/hand-in.ts";
import { block } from "./block.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";
import { settleTask } from "./settle-task.ts";

/** Whether its agent was asked as often as it may be and gave nothing that counts: no answer, and no work either. */
export function gaveNothing({ state, refusal, result }: Task): boolean {
  if (state !== "ESCALATED" || refusal === null) return false;
  const { code, details } = refusal;
  if (code === "R-AG-001") return field(field(details, "report"), "recommendation") === failureAdvice;
  return isSynthesised(result) && details.signal === "unchanged_edit";
}

/** S4-182, S4-184: a dispatch that fails after its retries blocks the session; nobody else does the work. */
export function blockFailed(context: SessionContext, { id, key, refusal }: Task): Promise<StepEnd> {
  return block(context, {
    code: "subagent_failure",
    reason: `the agent of ${id} gave nothing that counts: ${refusal?.reason.split("\n")[0]}`,
    recovery: `see \`lockstep log ${key}\`, fix what made it fail`,
  });
}

/** The session was blocked over these and goes on: their agents are asked again. */
export async function retryFailed(context: SessionContext, tasks: readonly Task[]): Promise<void> {
  for (const { key } of tasks.filter(gaveNothing))
    await settleTask(context, "task-resolve", { task: key, note: "asked again after `lockstep resume`" });
}
