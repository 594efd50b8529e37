/** One submitted attempt that was refused. */
export interface Cycle {
  /** The tree of its work; null if it changed nothing. */
  readonly tree: string | null;
  /** The fingerprint of the refusal. */
  readonly fingerprint: string;
}

/** The work or the refusal differs from the cycle before (S1-122). */
function madeProgress(before: Cycle | undefined, after: Cycle): boolean {
  if (before === undefined) return after.tree !== null;
  return after.tree !== before.tree || after.fingerprint !== before.fingerprint;
}

/** The number of cycles at the end without progress. */
export function stalledCycles(cycles: readonly Cycle[]): number {
  const last = cycles.findLastIndex((cycle, at) => madeProgress(cycles[at - 1], cycle));
  return cycles.length - 1 - last;
}
