export interface Maker {
  readonly agent: string | null;
  /** Null where nobody said. */
  readonly model: string | null;
}

/** Whose work a commit is: it carries the name of the person who runs Lockstep, as git knows it. */
export function agentTrailers({ agent, model }: Maker): Readonly<Record<string, string>> {
  const line = (text: string) => text.replace(/\s+/g, " ").trim();
  return {
    ...(agent === null ? {} : { "Lockstep-Agent": line(agent) }),
    ...(agent === null || model === null ? {} : { "Lockstep-Model": line(model) }),
  };
}
