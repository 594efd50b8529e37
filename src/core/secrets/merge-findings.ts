import type { SecretFinding } from "./secret-finding.ts";

/**
 * Sorts the findings and merges those that overlap. `ranked` lists the groups with the most specific rule names
 * first: a merged finding takes its name from the earliest group.
 */
export function mergeFindings(ranked: readonly (readonly SecretFinding[])[]): SecretFinding[] {
  const all = ranked.flatMap((group, rank) => group.map((finding) => ({ finding, rank })));
  all.sort((a, b) => a.finding.start - b.finding.start || a.rank - b.rank);
  const merged: { rule: string; start: number; end: number; rank: number }[] = [];
  for (const { finding, rank } of all) {
    const last = merged.at(-1);
    if (last === undefined || finding.start >= last.end) {
      merged.push({ ...finding, rank });
      continue;
    }
    last.end = Math.max(last.end, finding.end);
    if (rank < last.rank) {
      last.rank = rank;
      last.rule = finding.rule;
    }
  }
  return merged.map(({ rule, start, end }) => ({ rule, start, end }));
}
