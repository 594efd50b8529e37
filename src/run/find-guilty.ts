import type { Candidate } from "./candidate.ts";
import { tryLinks } from "./merge-chain.ts";

export interface Replay {
  readonly root: string;
  readonly base: string;
  /** In their order; together they fail. */
  readonly candidates: readonly Candidate[];
  /** Whether what failed fails on a commit that has these merged. */
  fails(commit: string, merged: readonly Candidate[]): Promise<boolean>;
}

/**
 * Replays the merges one at a time. The last one is guilty if it fails on the base alone; if not, then the one
 * with which it begins to fail.
 */
export async function findGuilty({ root, base, candidates, fails }: Replay): Promise<Candidate> {
  const last = candidates.at(-1) as Candidate;
  const before = candidates.slice(0, -1);
  for (let count = 0; count < before.length; count += 1) {
    const merged = [...before.slice(0, count), last];
    const commit = await tryLinks(root, base, merged);
    if (commit === undefined || !(await fails(commit, merged))) continue;
    return before[count - 1] ?? last;
  }
  return before.at(-1) ?? last;
}
