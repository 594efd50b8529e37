import type { CheckRecord } from "../../core/proof/check-record.ts";
import type { Judged } from "../../core/proof/weakening.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { GateResult } from "../../proof/gate/gate-result.ts";
import type { Prover } from "../../proof/prover.ts";
import type { Candidate } from "./candidate.ts";
import { type IntegrationContext, type Member, member, toldOf } from "./integration.ts";
import type { IntegrationRef } from "./integration-ref.ts";
import type { Link } from "./merge-chain.ts";
import type { ChecksProof, WantedCheck } from "./prove-checks.ts";

export interface ProvenLink extends Link {
  readonly evidence: readonly CheckRecord[];
  readonly judged: Judged;
}

/** A candidate that is left out, and why. */
export interface LeftOut {
  readonly candidate: Candidate;
  readonly refused: Deny;
  /** Only a person can decide. */
  readonly waiting: boolean;
  readonly evidence: readonly CheckRecord[];
  /** What the gate said, where it was asked. */
  readonly gate?: readonly GateResult[];
}

export interface ProvenChain {
  readonly links: readonly ProvenLink[];
  readonly out: readonly LeftOut[];
  readonly gate: readonly GateResult[];
}

/** What a chain is proven with. */
export interface Proving {
  readonly context: IntegrationContext;
  readonly prover: Prover;
  readonly checks: ChecksProof;
  /** Run on every merge, and those that only the last one needs. */
  readonly project: readonly WantedCheck[];
  readonly full: readonly WantedCheck[];
  readonly ref: IntegrationRef;
}

export function leftOut(candidate: Candidate, refused: Deny, waiting = false): LeftOut {
  return { candidate, refused, waiting, evidence: [] };
}

export function changeOf({ repository }: IntegrationContext, merged: readonly Candidate[]) {
  return { base: repository.baseCommit, changed: merged.flatMap(({ changed }) => changed) };
}

/** A link of a proven chain, as it is told. */
export function toldMember(
  { candidate, evidence, judged: tests }: ProvenLink,
  outcome: Member["outcome"],
  commit: string | null,
): Member {
  const { weakened } = tests;
  return member(candidate.branch, { ...toldOf(candidate), outcome, commit, evidence, weakened, tests });
}
