import type { CheckRun } from "./check-record.ts";

/** The change, as a check sees it in `LOCKSTEP_BASE` and `LOCKSTEP_CHANGED`. */
export interface ChangeFacts {
  readonly base: string;
  readonly changed: readonly string[];
}

/** A run of a check that any machine may do for the integrator. */
export interface ProofRequest {
  readonly id: string;
  /** The key of the evidence. A machine that computes another key, because its tools differ, does not do this run. */
  readonly key: string;
  readonly commit: string;
  readonly command: string;
  readonly change: ChangeFacts | null;
  /** The ref at the remote that leads to the commit. */
  readonly ref: string;
  /** In the ledger's time. */
  readonly askedMs: number;
  /** The machine on which the check failed: another one confirms the failure. */
  readonly not: string | null;
  readonly result: ProofResult | null;
}

/** The result of a run, from another machine. */
export interface ProofResult {
  /** The name of that machine. */
  readonly machine: string;
  readonly run: CheckRun;
  /** The tests that the check ran, packed; null if no runner reported any. */
  readonly inventory: string | null;
}
