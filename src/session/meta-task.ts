import { assignmentOf } from "../clients/input/universal-input.ts";
import { planSchema } from "../contract/plan.ts";
import { worklogPath } from "../core/names/session-paths.ts";
import { metaId, metaKey } from "../core/names/task-name.ts";
import type { RunTask } from "../run/attempt/run-context.ts";
import type { LoadedPlan } from "../workspace/plan/load-plan.ts";

type Given = Partial<LoadedPlan["tasks"][number]> & {
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly acceptance_checks: readonly string[];
};

/** A plan that nobody wrote: of one task, with the defaults of every other. */
export function singlePlan(given: Given): LoadedPlan {
  const { tasks, ...plan } = planSchema.parse({ tasks: [given] });
  return { ...plan, tasks: tasks.map((task) => ({ ...task, title: given.title })) };
}

/** What concerns the session as a whole and no task of its plan, as it is dispatched. */
export function metaTask(
  session: string,
  {
    goal,
    title,
    files,
    agent,
    contextFiles = [],
    constraints = [],
  }: {
    readonly goal: string;
    readonly title: string;
    /** All that it may write. */
    readonly files: readonly string[];
    readonly agent: string;
    readonly contextFiles?: readonly string[];
    readonly constraints?: readonly string[];
  },
): RunTask {
  const [plan] = singlePlan({
    ...{ id: "T-meta", goal, title, lock_scope: [...files], acceptance_checks: [`manual: ${title}`] },
    ...{ context_files: [...contextFiles], constraints: [...constraints] },
  }).tasks;
  if (plan === undefined) throw new Error("a plan of one task has one");
  const key = metaKey(session);
  const assignment = assignmentOf(plan, worklogPath(session, metaId));
  return {
    ...{ key, agent, plan: { ...plan, id: metaId } },
    packet: { task_id: key, title, agent, assignment: { ...assignment } },
  };
}
