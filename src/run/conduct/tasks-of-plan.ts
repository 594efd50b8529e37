import { assignmentOf } from "../../clients/input/universal-input.ts";
import type { Config } from "../../contract/config.ts";
import { worklogPath } from "../../core/names/session-paths.ts";
import { idOfKey, originalOf, taskKey } from "../../core/names/task-name.ts";
import { agentsForTask } from "../../core/plan/agents-for-task.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { operate } from "../../engine/operate.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import type { RunTask } from "../attempt/run-context.ts";
import type { IntegrationContext } from "../landing/integration.ts";

/** The tasks of a plan with their agents and assignments, ready to be dispatched. */
export function tasksOfPlan(config: Config, plan: LoadedPlan, session: string): readonly RunTask[] {
  return plan.tasks.map((task) => {
    const [agent = ""] = agentsForTask(task, { agents: config.agents, taskTypes: config.task_types });
    const assignment = assignmentOf(task, worklogPath(session, task.id));
    return {
      key: taskKey(session, task.id),
      plan: task,
      agent,
      packet: {
        task_id: taskKey(session, task.id),
        title: task.title,
        agent,
        ...(task.type === null ? {} : { type: task.type }),
        depends_on: task.depends_on.map((id) => taskKey(session, id)),
        assignment: {
          ...{ ...assignment, proves: task.proves, uses: task.uses },
          ...(task.may_change_tests.length === 0 ? {} : { may_change_tests: task.may_change_tests }),
          ...(task.label === null ? {} : { label: task.label }),
        },
      },
    };
  });
}

/** Tasks that redo rolled-back ones, under names of their own (`T-001-r1`), with the original's plan. */
export async function redoneTasks(
  { engine }: IntegrationContext,
  tasks: readonly RunTask[],
  session: string,
): Promise<readonly RunTask[]> {
  const byId = new Map(tasks.map((task) => [task.plan.id, task]));
  return (await engine.ledger.tasks({ session })).flatMap(({ id, key, dependsOn }) => {
    const original = byId.has(id) ? undefined : byId.get(originalOf(id));
    if (original === undefined) return [];
    const { plan, packet } = original;
    const worklog = worklogPath(session, id);
    const needs = dependsOn.map(idOfKey);
    return [
      {
        ...{ key, agent: original.agent, plan: { ...plan, id, depends_on: needs } },
        packet: { ...packet, task_id: key, assignment: { ...packet.assignment, worklog_path: worklog } },
      },
    ];
  });
}

/** Adds the tasks that are not in the ledger yet. */
export async function addTasks(
  { engine, call }: IntegrationContext,
  tasks: readonly RunTask[],
): Promise<Deny | undefined> {
  for (const { key, packet } of tasks) {
    if ((await engine.ledger.task(key)) !== undefined) continue;
    const added = await operate(engine, "task-add", { packet }, call);
    // Another run of the same plan may have added it meanwhile.
    if (!added.allow && (await engine.ledger.task(key)) === undefined) return added;
  }
  return undefined;
}
