import type { Entry } from "../paths/entry.ts";
import { PathIndex } from "../paths/path-index.ts";
import type { Disk, Place } from "../paths/place.ts";
import { readEntries } from "../paths/scope.ts";
import type { TaskState } from "../tasks/states.ts";

/** The parts of a task that decide when it may run. */
export interface PlannedTask {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly scope: readonly Entry[];
  /** Named resources. */
  readonly uses: readonly string[];
}

interface Written {
  readonly id: string;
  readonly depends_on: readonly string[];
  readonly lock_scope: readonly string[];
  readonly uses: readonly string[];
}

/** A task of a validated plan. */
export function plannedTask(
  { id, depends_on, lock_scope, uses }: Written,
  { place, disk }: { readonly place: Place; readonly disk: Disk },
): PlannedTask {
  const read = readEntries(lock_scope, place, disk);
  if ("error" in read) throw new Error(`the scope of ${id} cannot be read: ${read.error}`);
  return { id, dependsOn: depends_on, scope: read.entries, uses };
}

/** A planned task and its current state. */
export interface TaskNow extends PlannedTask {
  readonly state: TaskState;
  readonly revertedBy: string | null;
}

export interface PlanLimits {
  readonly maxParallel: number;
  readonly maxReview: number;
  readonly maxActive: number;
  /** How many tasks may use each resource at once; the default is one. */
  readonly resources: Readonly<Record<string, number>>;
}

/** One entry of each task, where both can match the same path. */
export interface Overlap {
  readonly a: string;
  readonly b: string;
}

export function overlapOf(a: Pick<PlannedTask, "scope">, b: Pick<PlannedTask, "scope">): Overlap | undefined {
  const index = new PathIndex();
  for (const entry of a.scope) index.add("a", entry);
  for (const entry of b.scope) {
    const held = index.overlapping(entry);
    if (held !== undefined) return { a: held.text, b: entry.text };
  }
  return undefined;
}
