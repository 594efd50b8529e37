/** An agent of the configuration, as far as it says whose quota is used. */
export interface Accounted {
  readonly adapter: string;
  readonly model: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Agents with the same one are out of quota together. Those of one client use one account, unless the configuration
 * gives them keys, folders or arguments of their own, or models of different providers. In doubt it is another one: an
 * agent that is started in vain rests then too, while one that could work and rests is lost.
 */
export function accountOf(name: string, { adapter, model, args, env }: Accounted): string {
  if (adapter === "command" || adapter === "script") return JSON.stringify(["agent", name]);
  const provider = model?.includes("/") ? model.slice(0, model.indexOf("/")) : null;
  const variables = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([adapter, provider, args, variables]);
}
