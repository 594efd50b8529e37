/** Who delegates to whom, from the first on; null where nobody gave a name. */
export type Chain = readonly (string | null)[];

/** A1-9: the first agent that gets back what it gave away, itself included. */
export function findCircular(chain: Chain): string | undefined {
  const seen = new Set<string>();
  for (const agent of chain) {
    if (agent === null) continue;
    if (seen.has(agent)) return agent;
    seen.add(agent);
  }
  return undefined;
}
