import type { Deny } from "../../../core/rules/verdict.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";
import { reviewWork, type Waiting } from "../../review/review-work.ts";
import { handedIn } from "./bring-in.ts";
import { rejectWork } from "./hand-in.ts";
import { passPoint } from "./lifecycle.ts";

export type ReviewedTask = "ready" | "stopped" | ({ readonly told: string } & Waiting);

/** The review of work before it is proven: first other agents, then the `before_merge` hooks. */
export async function passReview(
  context: RunContext,
  task: RunTask,
  stop: AbortSignal,
): Promise<ReviewedTask> {
  const commit = await handedIn(context, task);
  if (commit === undefined) return "ready"; // the integration refuses work without changes
  if (typeof commit === "object") return tell(context, task, { ok: false, refused: commit, waiting: true });
  const reviewed = await reviewWork(context, task, { commit, stop });
  if (!reviewed.ok) return stop.aborted ? "stopped" : tell(context, task, reviewed);
  const { engine, call } = context;
  const agent = (await engine.ledger.task(task.key))?.agent ?? task.agent;
  const passed = await passPoint(context, { task, commit, agent, call, stop }, "before_merge");
  if (passed.ok) return "ready";
  return stop.aborted ? "stopped" : tell(context, task, passed);
}

async function tell(
  context: RunContext,
  task: RunTask,
  { refused, ok: _, ...wait }: { readonly ok: false; readonly refused: Deny } & Waiting,
): Promise<ReviewedTask> {
  const { waiting } = wait;
  const { code, reason } = waiting ? refused : await rejectWork(context, task, refused);
  return { told: `${waiting ? "waits" : "refused"}, ${code}: ${reason}`, ...wait };
}
