import { taskKey } from "../../core/names/task-name.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { operate } from "../../engine/operate.ts";
import { isUnstarted, replanTask } from "../../engine/tasks/replan-task.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { type LoadedPlan, loadPlan } from "../../workspace/plan/load-plan.ts";
import type { SessionPlan } from "../../workspace/plan/open-session-plan.ts";
import { takeInPlan } from "../../workspace/plan/take-in-plan.ts";
import type { IntegrationContext } from "../landing/integration.ts";
import { tasksOfPlan } from "./tasks-of-plan.ts";

/** Applies the changes of a plan to the tasks that have not started. Refuses changes to tasks that have. */
export async function takeInChanges(
  context: IntegrationContext,
  { plan, session }: { readonly plan: LoadedPlan; readonly session: SessionPlan },
): Promise<Deny | undefined> {
  if (!session.hasChanged) return undefined;
  const { engine, config, repository, call } = context;
  const known = { agents: config.agents, taskTypes: config.task_types };
  const copy = loadPlan(session.file, repository.root, known);
  if ("faults" in copy) return deny("E-PLAN", copy.faults.map(faultLine).join("; "));
  const stored = await engine.ledger.tasks({ session: session.session });
  const states = new Map(stored.map((task) => [task.id, isUnstarted(task) ? "PENDING" : task.state]));
  const changes = takeInPlan(session, { before: copy.plan, after: plan, states });
  if ("started" in changes) return started(changes.started);
  const tasks = tasksOfPlan(config, plan, session.session);
  for (const { plan: one, packet } of tasks) {
    if (!changes.changed.includes(one.id) || !states.has(one.id)) continue;
    const verdict = await replanTask(engine, { packet }, call);
    if (!verdict.allow) return verdict;
  }
  for (const id of changes.removed) {
    if (!states.has(id)) continue;
    const task = taskKey(session.session, id);
    const verdict = await operate(engine, "task-cancel", { task, reason: "removed from the plan" }, call);
    if (!verdict.allow) return verdict;
  }
  return undefined;
}

function started(ids: readonly string[]): Deny {
  const named = ids.map((id) => `\`${id}\``).join(", ");
  const has = ids.length === 1 ? "it has" : "they have";
  return deny(
    "E-PLAN",
    `${named} cannot be changed, because ${has} started: undo the change in the plan and write it as a new task, or start over with --again`,
    { started: ids },
  );
}
