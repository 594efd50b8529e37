import { readFileSync } from "node:fs";
import { type PlanChanges, planChanges } from "../../core/plan/plan-changes.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import { projectFile, replaceFile } from "../files/replace-file.ts";
import type { LoadedPlan } from "./load-plan.ts";
import type { SessionPlan } from "./open-session-plan.ts";
import { digestOf, readPlanSource, writePlanSource } from "./plan-source.ts";
import { withStatuses } from "./write-statuses.ts";

interface TakingIn {
  /** The session's copy, as loaded. */
  readonly before: LoadedPlan;
  /** The changed plan, as loaded. */
  readonly after: LoadedPlan;
  readonly states: ReadonlyMap<string, TaskState>;
}

/**
 * Updates an unfinished session from its changed plan: new tasks are added, PENDING tasks are changed or removed. If a
 * task that has started was changed or removed, nothing is written and these tasks are returned.
 */
export function takeInPlan(
  { folder, file }: Pick<SessionPlan, "folder" | "file">,
  { before, after, states }: TakingIn,
): PlanChanges | { readonly started: readonly string[] } {
  const source = readPlanSource(folder);
  if (source === undefined)
    throw new Error(`the session in \`${folder}\` was not created from a plan outside of it`);
  const changes = planChanges(before.tasks, after.tasks);
  const started = [...changes.changed, ...changes.removed].filter(
    (id) => (states.get(id) ?? "PENDING") !== "PENDING",
  );
  if (started.length > 0) return { started };
  const bytes = readFileSync(source.path);
  replaceFile(file, withStatuses(bytes.toString("utf8"), states), projectFile);
  writePlanSource(folder, { ...source, digest: digestOf(bytes) });
  return changes;
}
