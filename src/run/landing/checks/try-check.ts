import type { CheckRun } from "../../../core/proof/check-record.ts";
import type { Inventory } from "../../../core/proof/inventory.ts";
import type { ChangeFacts } from "../../../core/proof/proof-request.ts";
import type { Proven, Prover } from "../../../proof/prover.ts";

interface Wanted {
  readonly commit: string;
  readonly command: string;
  readonly change?: ChangeFacts | undefined;
  /** A failure that needs no retry. */
  isKnown?(run: CheckRun): boolean;
  /** Corrects the result of a run by the tests that it listed. */
  whole?(proven: Proven): CheckRun;
  onProgress(line: string, state?: "running"): void;
}

interface Tried {
  readonly tree: string;
  readonly first: CheckRun;
  /** The second run, after a failure. */
  readonly again: CheckRun | null;
  /** The tests that the deciding run listed. */
  readonly inventory: Inventory | null;
}

/** Runs one check on one tree. A failure is retried once, on the base and on merges alike: the check may be flaky. */
export async function tryCheck(
  prover: Prover,
  { commit, command, change, isKnown = () => false, whole = ({ run }) => run, onProgress }: Wanted,
): Promise<Tried | { readonly error: string }> {
  const proven = await prover.run(commit, command, change);
  if ("error" in proven) return proven;
  const { tree, inventory } = proven;
  const first = whole(proven);
  if (first.exit === 0 || isKnown(first)) return { tree, first, again: null, inventory };
  onProgress(`retrying: ${command}`, "running");
  const second = await prover.run(commit, command, change, proven.run);
  if ("error" in second) return { tree, first, again: null, inventory };
  const again = whole(second);
  return { tree, first, again, inventory: again.exit === 0 ? second.inventory : inventory };
}

/** The result of both runs: the pass, together with the failure before it; or the failure. */
export function settledRun({ first, again }: Pick<Tried, "first" | "again">): CheckRun {
  if (again === null || again.exit !== 0) return first;
  return { ...again, earlier: again.earlier ?? { ...first, at: new Date().toISOString() } };
}
