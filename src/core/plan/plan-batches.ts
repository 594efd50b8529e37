import { Occupied } from "./occupied.ts";
import type { PlanLimits, PlannedTask } from "./planned-task.ts";

/**
 * The batches of a plan if every task succeeds. Each batch takes the ready tasks that do not conflict, in the plan's
 * order, and starts when the batch before is merged.
 */
export function planBatches<Task extends PlannedTask>(
  tasks: readonly Task[],
  { maxParallel, maxActive, resources }: PlanLimits,
): readonly (readonly Task[])[] {
  const order = new Map(tasks.map((task, index) => [task, index]));
  const inOrder = (one: Task, other: Task) => (order.get(one) ?? 0) - (order.get(other) ?? 0);
  const waits = new Map(tasks.map((task) => [task, new Set(task.dependsOn).size]));
  const dependents = dependentsIn(tasks);
  const batches: (readonly Task[])[] = [];
  let ready = tasks.filter((task) => waits.get(task) === 0);
  while (ready.length > 0) {
    const batch = pickDisjoint(ready, new Occupied(resources), Math.min(maxParallel, maxActive));
    const freed = batch
      .flatMap(({ id }) => dependents.get(id) ?? [])
      .filter((task) => {
        const left = (waits.get(task) ?? 0) - 1;
        waits.set(task, left);
        return left === 0;
      });
    const picked = new Set(batch);
    ready = [...ready.filter((task) => !picked.has(task)), ...freed];
    if (freed.length > 0) ready.sort(inOrder);
    batches.push(batch);
  }
  const stuck = tasks.find((task) => waits.get(task) !== 0);
  if (stuck !== undefined)
    throw new Error(`${stuck.id} can never start: it depends on a task that cannot be finished before it`);
  return batches;
}

function dependentsIn<Task extends PlannedTask>(tasks: readonly Task[]): ReadonlyMap<string, Task[]> {
  const dependents = new Map<string, Task[]>();
  for (const task of tasks)
    for (const id of new Set(task.dependsOn)) {
      const known = dependents.get(id);
      if (known === undefined) dependents.set(id, [task]);
      else known.push(task);
    }
  return dependents;
}

/** The first tasks, at most `countMax`, that conflict neither with what is occupied nor with each other. */
export function pickDisjoint<Task extends PlannedTask>(
  tasks: Iterable<Task>,
  occupied: Occupied,
  countMax: number,
): readonly Task[] {
  const picked: Task[] = [];
  for (const task of tasks) {
    if (picked.length >= countMax) break;
    if (!occupied.hasRoomFor(task)) continue;
    occupied.take(task);
    picked.push(task);
  }
  return picked;
}
