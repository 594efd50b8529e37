/** One attempt that was handed in and refused. */
export interface Cycle {
  /** Of its work; null where nothing was changed. */
  readonly tree: string | null;
  /** Of the refusal. */
  readonly fingerprint: string;
}

/** S1-122: its work is another one than before, or something else is wrong with it. */
function madeProgress(before: Cycle | undefined, after: Cycle): boolean {
  if (before === undefined) return after.tree !== null;
  return after.tree !== before.tree || after.fingerprint !== before.fingerprint;
}

/** How many cycles at the end brought nothing. */
export function stalledCycles(cycles: readonly Cycle[]): number {
  const last = cycles.findLastIndex((cycle, at) => madeProgress(cycles[at - 1], cycle));
  return cycles.length - 1 - last;
}
