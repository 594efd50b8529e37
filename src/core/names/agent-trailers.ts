export interface Maker {
  readonly agent: string | null;
  /** Null if unknown. */
  readonly model: string | null;
}

/** Trailers that name the agent and model of a commit, whose git author is the person who runs Lockstep. */
export function agentTrailers({ agent, model }: Maker): Readonly<Record<string, string>> {
  const line = (text: string) => text.replace(/\s+/g, " ").trim();
  return {
    ...(agent === null ? {} : { "Lockstep-Agent": line(agent) }),
    ...(agent === null || model === null ? {} : { "Lockstep-Model": line(model) }),
  };
}
