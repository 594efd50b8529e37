export interface Handover {
  readonly escalate_to: string | null;
  readonly fallback: string | null;
}

interface Situation {
  /** The task's last attempts failed in a way that the same agent is unlikely to fix. */
  readonly failed: boolean;
  isPaused(agent: string): boolean;
}

/** The agent for the next attempt: the planned one, its `escalate_to`, or a fallback. Undefined if all are paused. */
export function chooseAgent(
  planned: string,
  agents: Readonly<Record<string, Handover>>,
  { failed, isPaused }: Situation,
): string | undefined {
  const of = (name: string) => (Object.hasOwn(agents, name) ? agents[name] : undefined);
  const tried = new Set<string>();
  let name: string | null = (failed ? of(planned)?.escalate_to : null) ?? planned;
  while (name !== null && !tried.has(name)) {
    if (!isPaused(name)) return name;
    tried.add(name);
    name = of(name)?.fallback ?? null;
  }
  return undefined;
}
