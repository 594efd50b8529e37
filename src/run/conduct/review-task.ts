import type { RunContext, RunTask } from "./run-context.ts";

export type ReviewedTask = "ready" | "stopped" | { readonly told: string; readonly waits: boolean };

/** Everything that is asked about work in review before it is proven: other agents, hooks, a person. */
export async function reviewTask(
  _context: RunContext,
  _task: RunTask,
  _stop: AbortSignal,
): Promise<ReviewedTask> {
  return "ready";
}
