import { isIn } from "../core/tasks/task.ts";
import { Conductor } from "../run/conduct/conduct.ts";
import { copyName, sessionsFolder } from "../workspace/plan/session-folder.ts";
import { block } from "./block.ts";
import { decidedBefore } from "./decided-before.ts";
import { singlePlan } from "./meta-task.ts";
import { acceptanceCommands } from "./prove-acceptance.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";

export interface ExtraTask {
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly scope: readonly string[];
  readonly role: string;
}

/** A task that no plan has, such as a repair of the whole work: held to the same proof as every other. */
export async function runExtraTask(
  sessionContext: SessionContext,
  { id, title, goal, scope, role }: ExtraTask,
): Promise<StepEnd | "merged"> {
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
  // Whoever found it looks at the whole again.
  await conductor.add({ ...taken.context, reviewersFor: () => [] }, taken.tasks);
  await conductor.run();
  if (stops.gently.aborted) return "stopped";
  const task = await context.engine.ledger.task(`${name}/${id}`);
  if (task !== undefined && isIn(task)) return "merged";
  // A person may let it go on, and then it is tried here again.
  return block(sessionContext, {
    code: "task_not_merged",
    reason: `${id} is ${task?.state ?? "gone"}: ${task?.refusal?.reason ?? "nobody says why"}`,
    recovery: `see \`lockstep task show ${name}/${id}\`, and \`lockstep task resolve ${name}/${id} --note "…"\` where it is escalated`,
  });
}
