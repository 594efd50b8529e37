import { isIn } from "../core/tasks/task.ts";
import { operate } from "../engine/operate.ts";
import { Conductor } from "../run/conduct/conduct.ts";
import type { RunTask } from "../run/conduct/run-context.ts";
import { copyName, sessionsFolder } from "../workspace/plan/session-folder.ts";
import { block } from "./block.ts";
import { decidedBefore } from "./decided-before.ts";
import { singlePlan } from "./meta-task.ts";
import { acceptanceCommands } from "./prove-acceptance.ts";
import { reviewersOf } from "./reviewers-of.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";

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
  const { context, run, roles, name, stops } = sessionContext;
  const checks = await acceptanceCommands(context);
  const plan = singlePlan({
    ...{ id, title, goal, lock_scope: [...scope], agent: roles.agentOf(role) },
    constraints: [...(await decidedBefore(context.engine, name))],
    acceptance_checks: checks.length > 0 ? checks.map((one) => `cmd: ${one}`) : [`manual: ${title}`],
  });
  const file = `${context.repository.root}/${sessionsFolder}/${name}/${copyName}`;
  const taken = await run.takeIn({ plan, session: { session: name, file } });
  if ("allow" in taken)
    return block(sessionContext, { code: taken.code, reason: taken.reason, recovery: "mend that" });
  const conductor = await Conductor.open(taken.context, stops);
  const reviewers = { reviewersFor: (task: RunTask) => reviewersOf(sessionContext, task) };
  await conductor.add({ ...taken.context, ...reviewers }, taken.tasks);
  await conductor.run();
  if (stops.gently.aborted) return "stopped";
  const task = await context.engine.ledger.task(`${name}/${id}`);
  if (task !== undefined && isIn(task)) return "merged";
  const reason = task?.refusal?.reason ?? "nobody says why";
  if (task?.state === "ESCALATED" || task?.state === "FAILED") {
    const why = `${role} could not do it: ${reason}`;
    if (task.state === "ESCALATED")
      await operate(context.engine, "task-cancel", { task: task.key, reason: why }, context.call);
    return { failed: why };
  }
  return block(sessionContext, {
    code: "task_not_merged",
    reason: `${id} is ${task?.state ?? "gone"}: ${reason}`,
    recovery: `see \`lockstep status\` for what ${id} waits for`,
  });
}
