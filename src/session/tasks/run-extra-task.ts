import { taskKey } from "../../core/names/task-name.ts";
import { asCriterion } from "../../core/proof/criterion.ts";
import { isIn } from "../../core/tasks/task.ts";
import type { RunTask } from "../../run/attempt/run-context.ts";
import { block } from "../roles/block.ts";
import { decidedBefore, singlePlan } from "../roles/meta-task.ts";
import type { SessionContext, StepEnd } from "../roles/session-context.ts";
import { conductTasks, reviewersOf } from "./conduct-tasks.ts";
import { blockFailed, gaveNothing, retryFailed, settleTask } from "./failed-tasks.ts";
import { acceptanceCommands } from "./prove-acceptance.ts";

export interface ExtraTask {
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly scope: readonly string[];
  readonly role: string;
}

/** `merged`, or the reason why not; `again` if the session is blocked. */
export type ExtraEnd = StepEnd | "merged" | { readonly failed: string };

/**
 * Runs a task that is not in the plan, such as a repair of the whole work, with the same reviews and proof as any
 * other. A task that cannot be done is cancelled, and its work is kept.
 */
export async function runExtraTask(
  sessionContext: SessionContext,
  { id, title, goal, scope, role }: ExtraTask,
): Promise<ExtraEnd> {
  const { context, name } = sessionContext;
  const checks = await acceptanceCommands(context);
  const plan = singlePlan({
    ...{ id, title, goal, lock_scope: [...scope] },
    constraints: [...(await decidedBefore(context.engine, name))],
    acceptance_checks: checks.length > 0 ? checks.map(asCriterion) : [`manual: ${title}`],
  });
  const key = taskKey(name, id);
  const before = await context.engine.ledger.task(key);
  if (before !== undefined) await retryFailed(sessionContext, [before]);
  const reviewersFor = (task: RunTask) => reviewersOf(sessionContext, task);
  const ended = await conductTasks(sessionContext, plan, { role, reviewersFor });
  if (ended !== undefined) return ended;
  const task = await context.engine.ledger.task(key);
  if (task !== undefined && isIn(task)) return "merged";
  if (task !== undefined && gaveNothing(task)) return blockFailed(sessionContext, task);
  const reason = task?.refusal?.reason ?? "no reason given";
  if (task?.state === "ESCALATED") {
    const why = `${role} failed: ${reason}`;
    await settleTask(sessionContext, "task-cancel", { task: task.key, reason: why });
    return { failed: why };
  }
  return block(sessionContext, {
    code: "task_not_merged",
    reason: `${id} is ${task?.state ?? "missing"}: ${reason}`,
    recovery: `read in \`lockstep status\` what ${id} waits for`,
  });
}
