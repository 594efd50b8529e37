import { type Deny, deny } from "../../core/rules/verdict.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import type { Draft } from "../change/draft.ts";

const tasksMax = 10_000;

/** A task that waits for itself, through whatever others, would wait for ever. */
export async function findCircle(draft: Draft, task: Task): Promise<Deny | undefined> {
  if (!(await canClose(draft, task))) return undefined;
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
    const needed = await draft.task(key);
    // Nobody waits for what is in, nor for what that had waited for.
    if (needed === undefined || isIn(needed)) continue;
    for (const next of needed.dependsOn) ways.push([...way, next]);
  }
  return undefined;
}

/** Only something new to wait for closes a circle, and only for a task that another one waits for. */
async function canClose({ engine: { ledger } }: Draft, { key, dependsOn }: Task): Promise<boolean> {
  if (dependsOn.includes(key)) return true;
  const before = new Set((await ledger.task(key))?.dependsOn);
  return dependsOn.some((one) => !before.has(one)) && (await ledger.dependents(key)).length > 0;
}

/** What a circle was looked for in: two tasks that begin to wait for each other at once must not both succeed. */
export async function dependencyVersions(draft: Draft, { dependsOn }: Task): Promise<Record<string, number>> {
  const versions: Record<string, number> = {};
  for (const key of dependsOn) versions[key] = (await draft.task(key))?.version ?? 0;
  return versions;
}
