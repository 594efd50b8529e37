import type { RuleCode } from "../../core/rules/catalog.ts";

/** Failures of the ledger, git or Lockstep itself, not of the request. */
const failures: readonly string[] = ["E-STORE", "E-GIT", "E-INTERNAL"] satisfies readonly RuleCode[];

/**
 * The exit code of a command whose answer is not a verdict: 1 if something failed, 2 if it was refused. A verdict that
 * denies always exits 2, because clients let the call through on any other code.
 */
export function exitOf(code: string): 1 | 2 {
  return failures.includes(code) ? 1 : 2;
}

/** The exit code for each outcome: 3 waits for a person. */
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
