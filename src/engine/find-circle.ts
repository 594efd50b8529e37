import { type Deny, deny } from "../core/rules/verdict.ts";
import type { Task } from "../core/tasks/task.ts";
import type { Draft } from "./draft.ts";

const tasksMax = 10_000;

/** A task that waits for itself, through whatever others, would wait for ever. */
export async function findCircle(draft: Draft, task: Task): Promise<Deny | undefined> {
  const ways: (readonly string[])[] = task.dependsOn.map((key) => [task.key, key]);
  const seen = new Set<string>();
  for (let way = ways.pop(); way !== undefined && seen.size < tasksMax; way = ways.pop()) {
    const key = way.at(-1) as string;
    if (key === task.key)
      return deny("R-IN-001", `task \`${task.key}\` would wait for itself: ${way.join(" → ")}`, {
        circle: way,
      });
    if (seen.has(key)) continue;
    seen.add(key);
    for (const next of (await draft.task(key))?.dependsOn ?? []) ways.push([...way, next]);
  }
  return undefined;
}

/** What a circle was looked for in: two tasks that begin to wait for each other at once must not both succeed. */
export async function dependencyVersions(draft: Draft, { dependsOn }: Task): Promise<Record<string, number>> {
  const versions: Record<string, number> = {};
  for (const key of dependsOn) versions[key] = (await draft.task(key))?.version ?? 0;
  return versions;
}
