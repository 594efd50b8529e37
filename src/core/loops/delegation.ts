/** The agents of a chain of delegations, the first one first; null for an agent without a name. */
export type Chain = readonly (string | null)[];

/** The first agent that gets back what it delegated, directly or through others (A1-9). */
export function findCircular(chain: Chain): string | undefined {
  const seen = new Set<string>();
  for (const agent of chain) {
    if (agent === null) continue;
    if (seen.has(agent)) return agent;
    seen.add(agent);
  }
  return undefined;
}
