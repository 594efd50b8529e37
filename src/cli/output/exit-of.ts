import type { RuleCode } from "../../core/rules/catalog.ts";

/** The request is not wrong: the ledger, git or Lockstep itself failed. */
const failures: readonly string[] = ["E-STORE", "E-GIT", "E-INTERNAL"] satisfies readonly RuleCode[];

/**
 * What a command exits with where its answer is not a verdict: 1 something failed, 2 it was refused. A verdict that
 * denies always exits 2, as clients would let the call through otherwise.
 */
export function exitOf(code: string): 1 | 2 {
  return failures.includes(code) ? 1 : 2;
}

/** What a command exits with by the outcome of its work: 3 is waiting for a person. */
export const outcomeExits = {
  merged: 0,
  proven: 0,
  proposed: 0,
  "rolled-back": 0,
  planned: 0,
  nothing: 0,
  failed: 1,
  refused: 2,
  waiting: 3,
  running: 3,
  stopped: 3,
} as const;
