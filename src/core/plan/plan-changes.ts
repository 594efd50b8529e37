export interface PlanChanges {
  readonly added: readonly string[];
  /** Tasks that read otherwise, whatever their status. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

interface Written {
  readonly id: string;
  readonly status: string;
}

/** What is other in a plan than it was. Both were read by the same schema, so their keys stand in one order. */
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
