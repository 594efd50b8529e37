import { taskKey } from "../core/names/task-name.ts";
import { asCriterion } from "../core/proof/criterion.ts";
import { isIn } from "../core/tasks/task.ts";
import type { RunTask } from "../run/attempt/run-context.ts";
import { block } from "./block.ts";
import { conductTasks } from "./conduct-tasks.ts";
import { decidedBefore } from "./decided-before.ts";
import { blockFailed, gaveNothing, retryFailed } from "./failed-agents.ts";
import { singlePlan } from "./meta-task.ts";
import { acceptanceCommands } from "./prove-acceptance.ts";
import { reviewersOf } from "./reviewers-of.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";
import { settleTask } from "./settle-task.ts";

export interface ExtraTask {
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly scope: readonly string[];
  readonly role: string;
}

/** `merged`, or why it is not; `again` where the session is blocked over it. */
export type ExtraEnd = StepEnd | "merged" | { readonly failed: string };

/**
 * A task that no plan has, such as a repair of the whole work: reviewed and held to the same proof as every other. One
 * that cannot be done is taken out of the way, with all that it made kept.
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
  const stays = await conductTasks(sessionContext, plan, { role, reviewersFor });
  if (stays !== undefined) return stays;
  const task = await context.engine.ledger.task(key);
  if (task !== undefined && isIn(task)) return "merged";
  if (task !== undefined && gaveNothing(task)) return blockFailed(sessionContext, task);
  const reason = task?.refusal?.reason ?? "nobody says why";
  if (task?.state === "ESCALATED") {
    const why = `${role} could not do it: ${reason}`;
    await settleTask(sessionContext, "task-cancel", { task: task.key, reason: why });
    return { failed: why };
  }
  return block(sessionContext, {
    code: "task_not_merged",
    reason: `${id} is ${task?.state ?? "gone"}: ${reason}`,
    recovery: `see \`lockstep status\` for what ${id} waits for`,
  });
}
