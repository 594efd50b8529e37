/** The parts of an agent's configuration that decide whose quota it uses. */
export interface Accounted {
  readonly adapter: string;
  readonly model: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Agents with the same account run out of quota together. Agents of one client share an account unless their
 * environment, arguments or model providers differ. If in doubt, the accounts count as different: a needless
 * start costs little, while an agent that pauses without need does no work.
 */
export function accountOf(name: string, { adapter, model, args, env }: Accounted): string {
  if (adapter === "command" || adapter === "script") return JSON.stringify(["agent", name]);
  const provider = model?.includes("/") ? model.slice(0, model.indexOf("/")) : null;
  const variables = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([adapter, provider, args, variables]);
}
