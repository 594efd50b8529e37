export interface PlanChanges {
  readonly added: readonly string[];
  /** Tasks whose text differs, ignoring their status. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

interface Written {
  readonly id: string;
  readonly status: string;
}

/** Compares two versions of a plan. Both were read with the same schema, so their keys have the same order. */
export function planChanges(before: readonly Written[], after: readonly Written[]): PlanChanges {
  const textOf = ({ status: _, ...task }: Written) => JSON.stringify(task);
  const old = new Map(before.map((task) => [task.id, textOf(task)]));
  const ids = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    changed: after
      .filter((task) => old.has(task.id) && old.get(task.id) !== textOf(task))
      .map(({ id }) => id),
    removed: [...old.keys()].filter((id) => !ids.has(id)),
  };
}
