import type { CheckRun } from "../core/proof/check-record.ts";
import type { ChangeFacts, Prover } from "../proof/prover.ts";

interface Wanted {
  readonly commit: string;
  readonly command: string;
  readonly change?: ChangeFacts | undefined;
  /** A failure that is not tried again. */
  isKnown?(run: CheckRun): boolean;
  onProgress(line: string): void;
}

interface Tried {
  readonly tree: string;
  readonly first: CheckRun;
  /** The second run, after a failure. */
  readonly again: CheckRun | null;
}

/** One check on one tree. A failure is tried once more, on the base as on a merge: one alone may be chance. */
export async function tryCheck(
  prover: Prover,
  { commit, command, change, isKnown = () => false, onProgress }: Wanted,
): Promise<Tried | { readonly error: string }> {
  const proven = await prover.run(commit, command, change);
  if ("error" in proven) return proven;
  const { tree, run: first } = proven;
  if (first.exit === 0 || isKnown(first)) return { tree, first, again: null };
  onProgress(`once more: ${command}`);
  const again = await prover.run(commit, command, change);
  return { tree, first, again: "error" in again ? null : again.run };
}

/** What both runs come to: the pass, with the failure before it; or the failure. */
export function settledRun({ first, again }: Pick<Tried, "first" | "again">): CheckRun {
  if (again === null || again.exit !== 0) return first;
  return { ...again, earlier: again.earlier ?? { ...first, at: new Date().toISOString() } };
}
