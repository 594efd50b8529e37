export interface KnownAgents {
  readonly agents: Readonly<Record<string, { readonly role: string }>>;
  readonly taskTypes: Readonly<
    Record<string, { readonly agents: { readonly implementer: readonly string[] | null } }>
  >;
}

/** The role that does a task which names no agent, if there are several agents. */
const defaultRole = "Coder";

/**
 * The agents that may do a task, in order of preference. `agent` is a name or a role. Without it: the implementers of
 * the task's type, the only agent, or the agents with the default role.
 */
export function agentsForTask(
  { agent, type }: { readonly agent: string | null; readonly type: string | null },
  { agents, taskTypes }: KnownAgents,
): readonly string[] {
  const all = Object.keys(agents);
  const typed = type !== null && Object.hasOwn(taskTypes, type) ? taskTypes[type] : undefined;
  const implementers = typed?.agents.implementer ?? undefined;
  const allowed = implementers?.filter((name) => all.includes(name)) ?? all;
  const withRole = (role: string) => allowed.filter((name) => agents[name]?.role === role);
  if (agent !== null) return allowed.includes(agent) ? [agent] : withRole(agent);
  return implementers !== undefined || all.length <= 1 ? allowed : withRole(defaultRole);
}
