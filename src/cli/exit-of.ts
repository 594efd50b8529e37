import type { RuleCode } from "../core/rules/catalog.ts";

/** Nobody's request is wrong: the ledger, git or Lockstep itself failed. */
const failures: readonly string[] = ["E-STORE", "E-GIT", "E-INTERNAL"] satisfies readonly RuleCode[];

/**
 * What a command exits with where its answer is not a verdict: 1 something failed, 2 it was refused. A verdict that
 * denies always exits 2, as clients would let the call through otherwise.
 */
export function exitOf(code: string): 1 | 2 {
  return failures.includes(code) ? 1 : 2;
}
