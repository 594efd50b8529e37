import type { CheckRecord } from "./check-record.ts";
import type { Weakened } from "./material/weakenings.ts";

/** Why a change may weaken what the base's tests verify. */
export type WeakeningReason =
  /** A test that passed on the base and no longer passes. */
  | { readonly kind: "test"; readonly command: string; readonly test: string; readonly now: string }
  /** A check that does not report single tests, or could not be run. */
  | { readonly kind: "command"; readonly command: string; readonly why: string }
  /** A change to test material that no run can show. */
  | { readonly kind: "change"; readonly path: string; readonly what: string };

export function reasonText(reason: WeakeningReason): string {
  if (reason.kind === "test") return `${reason.now.replace(/^is /, "")}: ${reason.test}`;
  return reason.kind === "command" ? `\`${reason.command}\` ${reason.why}` : `${reason.path}: ${reason.what}`;
}

/** The judgement of a change by the base's tests. */
export interface Judgement {
  /** Descriptions of its changes to test material; empty if it has none. */
  readonly changes: readonly Weakened[];
  /** Changes to tests that a person had allowed beforehand. */
  readonly allowed: readonly Weakened[];
  /** Why a person has to decide; empty if everything that the base verified still holds. */
  readonly reasons: readonly WeakeningReason[];
  /** The runs of the base's tests on the change, if there were any. */
  readonly runs: readonly CheckRecord[];
}

/** The result of judging a change by the tests of the base. */
export interface Judged {
  /**
   * holds: tests were changed, and all that the base verified still holds. accepted: a person accepted the change.
   * allowed: a person or the configuration allowed it beforehand. weakens: it is not merged, because no person has
   * accepted it.
   */
  readonly outcome: "untouched" | "holds" | "accepted" | "allowed" | "weakens";
  /** Changes to tests and their material. */
  readonly changes: readonly Weakened[];
  /** What is no longer verified. */
  readonly weakened: readonly Weakened[];
  readonly accepted?: { readonly decision: string; readonly reason: string; readonly at: string | null };
}

export const untouched: Judged = { outcome: "untouched", changes: [], weakened: [] };
