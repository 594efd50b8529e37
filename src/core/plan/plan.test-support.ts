import { defaultConfig } from "../../contract/default-config.ts";
import { readEntries } from "../paths/scope.ts";
import type { PlanLimits, PlannedTask, TaskNow } from "./planned-task.ts";
import { Standing } from "./standing.ts";

export const place = { root: "/project" };

const { max_parallel: maxParallel, max_review: maxReview, max_active: maxActive } = defaultConfig.limits;
/** The limits of a project without a configuration. */
export const usualLimits: PlanLimits = { maxParallel, maxReview, maxActive, resources: {} };

export function planned(
  id: string,
  lockScope: readonly string[],
  more: Partial<PlannedTask> = {},
): PlannedTask {
  const read = readEntries(lockScope, place);
  if ("error" in read) throw new Error(read.error);
  return { id, dependsOn: [], scope: read.entries, uses: [], ...more };
}

export function standing(task: PlannedTask, state: TaskNow["state"]): TaskNow {
  return { ...task, state, revertedBy: null };
}

export const idsOf = (tasks: readonly PlannedTask[]) => tasks.map(({ id }) => id);

export function standingOf(tasks: readonly TaskNow[]): Standing<TaskNow> {
  const all = new Standing(tasks);
  for (const { id, state, revertedBy } of tasks) all.put(id, { state, revertedBy });
  return all;
}
