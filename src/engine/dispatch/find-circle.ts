import { type Deny, deny } from "../../core/rules/verdict.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import type { Draft } from "../change/draft.ts";

const tasksMax = 10_000;

/** Finds a dependency cycle: a task that waits for itself, directly or through others, would wait for ever. */
export async function findCircle(draft: Draft, task: Task): Promise<Deny | undefined> {
  if (!(await canClose(draft, task))) return undefined;
  const paths: (readonly string[])[] = task.dependsOn.map((key) => [task.key, key]);
  const seen = new Set<string>();
  for (let path = paths.pop(); path !== undefined && seen.size < tasksMax; path = paths.pop()) {
    const key = path.at(-1) as string;
    if (key === task.key)
      return deny("R-IN-001", `task \`${task.key}\` would wait for itself: ${path.join(" → ")}`, {
        circle: path,
      });
    if (seen.has(key)) continue;
    seen.add(key);
    const needed = await draft.task(key);
    // Merged tasks, and their dependencies, are not waited for.
    if (needed === undefined || isIn(needed)) continue;
    for (const next of needed.dependsOn) paths.push([...path, next]);
  }
  return undefined;
}

/** A cycle can only arise from a new dependency, and only for a task that another task depends on. */
async function canClose({ engine: { ledger } }: Draft, { key, dependsOn }: Task): Promise<boolean> {
  if (dependsOn.includes(key)) return true;
  const before = new Set((await ledger.task(key))?.dependsOn);
  return dependsOn.some((one) => !before.has(one)) && (await ledger.dependents(key)).length > 0;
}

/**
 * The versions of the dependencies that were checked: two tasks that start to depend on each other at the same
 * time must not both succeed.
 */
export async function dependencyVersions(draft: Draft, { dependsOn }: Task): Promise<Record<string, number>> {
  const versions: Record<string, number> = {};
  for (const key of dependsOn) versions[key] = (await draft.task(key))?.version ?? 0;
  return versions;
}
