import type { CheckRecord } from "../../../core/proof/check-record.ts";
import type { ProofWindow } from "../../../core/proof/proof-window.ts";
import type { Judged } from "../../../core/proof/weakening.ts";
import type { Deny } from "../../../core/rules/verdict.ts";
import type { GateResult } from "../../../proof/gate/gate-result.ts";
import type { Prover } from "../../../proof/prover.ts";
import type { Candidate } from "../candidate.ts";
import type { ChecksProof, WantedCheck } from "../checks/prove-checks.ts";
import { type IntegrationContext, type Member, member, taskAndFiles } from "../integration.ts";
import type { IntegrationRef } from "../integration-ref.ts";
import type { Link } from "./merge-chain.ts";

export interface ProvenLink extends Link {
  readonly evidence: readonly CheckRecord[];
  readonly judged: Judged;
}

/** A candidate that is left out, with the reason. */
export interface LeftOut {
  readonly candidate: Candidate;
  readonly refused: Deny;
  /** Only a person can decide. */
  readonly waiting: boolean;
  readonly evidence: readonly CheckRecord[];
  /** The gate's results, if it ran. */
  readonly gate?: readonly GateResult[];
}

export interface ProvenChain {
  readonly links: readonly ProvenLink[];
  readonly out: readonly LeftOut[];
  readonly gate: readonly GateResult[];
}

/** The inputs for proving a chain. */
export interface Proving {
  readonly context: IntegrationContext;
  readonly prover: Prover;
  readonly checks: ChecksProof;
  /** The project's checks for every merge. */
  readonly project: readonly WantedCheck[];
  /** The project's checks for the last merge only. */
  readonly full: readonly WantedCheck[];
  readonly ref: IntegrationRef;
  readonly window: ProofWindow;
}

export function leftOut(candidate: Candidate, refused: Deny, waiting = false): LeftOut {
  return { candidate, refused, waiting, evidence: [] };
}

export function changeOf({ repository }: IntegrationContext, merged: readonly Candidate[]) {
  return { base: repository.baseCommit, changed: merged.flatMap(({ changed }) => changed) };
}

/** The report of one link of a proven chain. */
export function memberOf(
  { candidate, evidence, judged: tests }: ProvenLink,
  outcome: Member["outcome"],
  commit: string | null,
): Member {
  const { weakened } = tests;
  return member(candidate.branch, { ...taskAndFiles(candidate), outcome, commit, evidence, weakened, tests });
}
