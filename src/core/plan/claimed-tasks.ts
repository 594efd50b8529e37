interface Planned {
  readonly id: string;
  readonly status: string;
  readonly depends_on: readonly string[];
}

/**
 * A plan may call tasks `completed` that the ledger does not know, because another program worked on it. They count as
 * claimed, not proven: they are not run, and tasks that depend on them may start.
 */
export function splitClaimed<Task extends Planned>(
  tasks: readonly Task[],
  isKnown: (id: string) => boolean,
): { readonly tasks: readonly Task[]; readonly claimed: readonly string[] } {
  const claimed = tasks.flatMap(({ id, status }) => (status === "completed" && !isKnown(id) ? [id] : []));
  if (claimed.length === 0) return { tasks, claimed };
  const left = tasks.filter(({ id }) => !claimed.includes(id));
  const withoutThem = (ids: readonly string[]) => ids.filter((id) => !claimed.includes(id));
  return { tasks: left.map((task) => ({ ...task, depends_on: withoutThem(task.depends_on) })), claimed };
}
