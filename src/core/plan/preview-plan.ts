import { PathIndex } from "../paths/path-index.ts";
import { planBatches } from "./plan-batches.ts";
import type { PlanLimits, PlannedTask } from "./planned-task.ts";

/** Two tasks that do not run at the same time. */
interface PreviewedWait {
  readonly task: string;
  readonly waits_for: string;
  /** The scope entry or the resource of the other task that this one needs too. */
  readonly lock: string;
}

interface PlanPreview {
  /** Task ids, in the order in which they start if every task succeeds. */
  readonly batches: readonly (readonly string[])[];
  /** For each lock that a task needs, an earlier task that holds it, unless the task depends on that one anyway. */
  readonly overlaps: readonly PreviewedWait[];
}

/** Previews a run of tasks that have not started. */
export function previewPlan(tasks: readonly PlannedTask[], limits: PlanLimits): PlanPreview {
  const ids = new Set(tasks.map(({ id }) => id));
  // Dependencies outside this list are merged already.
  const open = tasks.map((task) => ({ ...task, dependsOn: task.dependsOn.filter((id) => ids.has(id)) }));
  const batches = planBatches(open, limits).map((batch) => batch.map(({ id }) => id));
  return { batches, overlaps: overlapsIn(open, limits) };
}

function overlapsIn(tasks: readonly PlannedTask[], { resources }: PlanLimits): readonly PreviewedWait[] {
  const paths = new PathIndex();
  const users = new Map<string, string[]>();
  const found: PreviewedWait[] = [];
  for (const { id, scope, uses, dependsOn } of tasks) {
    const waits = new Map<string, string>();
    const add = (other: string, lock: string) => {
      if (!dependsOn.includes(other) && !waits.has(other)) waits.set(other, lock);
    };
    for (const entry of scope) {
      const held = paths.overlapping(entry);
      if (held !== undefined) add(held.owner, held.text);
    }
    for (const resource of uses) {
      const others = users.get(resource) ?? [];
      const count = Object.hasOwn(resources, resource) ? (resources[resource] ?? 1) : 1;
      const before = others.at(-count);
      if (before !== undefined) add(before, resource);
      users.set(resource, [...others, id]);
    }
    for (const entry of scope) paths.add(id, entry);
    found.push(...[...waits].map(([waits_for, lock]) => ({ task: id, waits_for, lock })));
  }
  return found;
}
