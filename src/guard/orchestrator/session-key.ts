/** Whose state is meant: a session of a client, or an orchestrating agent within one. */
export interface Whose {
  readonly session: string | null;
  readonly agentId: string | null;
}

const keyLengthMax = 300;

/** One name for it; null where the client says nothing. */
export function keyOf({ session, agentId }: Whose): string | null {
  if (session === null && agentId === null) return null;
  return [session ?? "", ...(agentId === null ? [] : [agentId])].join("/").slice(0, keyLengthMax);
}
