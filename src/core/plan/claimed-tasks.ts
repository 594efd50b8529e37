interface Planned {
  readonly id: string;
  readonly status: string;
  readonly depends_on: readonly string[];
}

/**
 * A plan that somebody else has worked on calls tasks `completed` of which the ledger knows nothing. They are claimed,
 * not proven: they are left as they are, and what depends on them may start.
 */
export function setClaimedApart<Task extends Planned>(
  tasks: readonly Task[],
  isKnown: (id: string) => boolean,
): { readonly tasks: readonly Task[]; readonly claimed: readonly string[] } {
  const claimed = tasks.flatMap(({ id, status }) => (status === "completed" && !isKnown(id) ? [id] : []));
  if (claimed.length === 0) return { tasks, claimed };
  const left = tasks.filter(({ id }) => !claimed.includes(id));
  const withoutThem = (ids: readonly string[]) => ids.filter((id) => !claimed.includes(id));
  return { tasks: left.map((task) => ({ ...task, depends_on: withoutThem(task.depends_on) })), claimed };
}
