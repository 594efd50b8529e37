/** The owner of a state: a client's session, or an orchestrating agent within one. */
export interface Whose {
  readonly session: string | null;
  readonly agentId: string | null;
}

const keyLengthMax = 300;

/** The owner as one string; null if the client names neither. */
export function keyOf({ session, agentId }: Whose): string | null {
  if (session === null && agentId === null) return null;
  return [session ?? "", ...(agentId === null ? [] : [agentId])].join("/").slice(0, keyLengthMax);
}
