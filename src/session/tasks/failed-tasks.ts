import { isSynthesised } from "../../core/tasks/result.ts";
import type { Task } from "../../core/tasks/task.ts";
import { field } from "../../core/values/fields.ts";
import { operate } from "../../engine/operate.ts";
import { failureAdvice } from "../../run/conduct/task/hand-in.ts";
import { block } from "../roles/block.ts";
import { type SessionContext, SessionFault, type StepEnd } from "../roles/session-context.ts";

/** Whether the task's agent used all its tries without a valid answer and without any work. */
export function gaveNothing({ state, refusal, result }: Task): boolean {
  if (state !== "ESCALATED" || refusal === null) return false;
  const { code, details } = refusal;
  if (code === "R-AG-001") return field(field(details, "report"), "recommendation") === failureAdvice;
  return isSynthesised(result) && details.signal === "unchanged_edit";
}

/** S4-182, S4-184: a dispatch that fails after its retries blocks the session; no other agent does the work. */
export function blockFailed(context: SessionContext, { id, key, refusal }: Task): Promise<StepEnd> {
  return block(context, {
    code: "subagent_failure",
    reason: `the agent of ${id} gave no valid answer: ${refusal?.reason.split("\n")[0]}`,
    recovery: `read \`lockstep log ${key}\`, fix the cause`,
  });
}

/** Retries the tasks that blocked the session, now that it continues. */
export async function retryFailed(context: SessionContext, tasks: readonly Task[]): Promise<void> {
  for (const { key } of tasks.filter(gaveNothing))
    await settleTask(context, "task-resolve", { task: key, note: "retried after `lockstep resume`" });
}

type Settling = {
  readonly "task-escalate": { readonly task: string; readonly reason: string };
  readonly "task-cancel": { readonly task: string; readonly reason: string };
  readonly "task-resolve": { readonly task: string; readonly note: string };
};

/** Escalates, cancels or resolves a task that cannot continue by itself. A refusal is never ignored. */
export async function settleTask<Name extends keyof Settling>(
  { context: { engine, call } }: SessionContext,
  name: Name,
  input: Settling[Name],
): Promise<void> {
  const verdict = await operate(engine, name, input, call);
  if (!verdict.allow) throw new SessionFault(verdict);
}
