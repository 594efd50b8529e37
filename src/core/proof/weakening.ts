import type { CheckRecord } from "./check-record.ts";
import type { Weakened } from "./material/weakenings.ts";

/** Why a change may weaken what the base's tests verified. */
export type WeakeningReason =
  /** A test that passed on the base. */
  | { readonly kind: "test"; readonly command: string; readonly test: string; readonly now: string }
  /** A check that does not tell of single tests, or could not be run. */
  | { readonly kind: "command"; readonly command: string; readonly why: string }
  /** What was done to test material that no run can show. */
  | { readonly kind: "change"; readonly path: string; readonly what: string };

export function reasonText(reason: WeakeningReason): string {
  if (reason.kind === "test") return `${reason.test} ${reason.now}`;
  return reason.kind === "command" ? `\`${reason.command}\` ${reason.why}` : `${reason.path}: ${reason.what}`;
}

/** What the base's tests say of a change. */
export interface Judgement {
  /** What it did to test material, in words; empty where it left that alone. */
  readonly changes: readonly Weakened[];
  /** The same, of tests that a person let it change beforehand. */
  readonly allowed: readonly Weakened[];
  /** Why a person has to decide; empty where everything that the base verified still holds. */
  readonly reasons: readonly WeakeningReason[];
  /** The runs of the base's tests on the change, if there were any. */
  readonly runs: readonly CheckRecord[];
}

/** What came of comparing a change with the tests of the base. */
export interface Judged {
  /**
   * holds: tests were touched, and all that the base verified still holds. accepted: a person said so. allowed: a
   * person or the configuration said so beforehand. weakens: it is not merged, because nobody has accepted it.
   */
  readonly outcome: "untouched" | "holds" | "accepted" | "allowed" | "weakens";
  /** What was done to tests and what they are made of. */
  readonly changes: readonly Weakened[];
  /** What is verified less than before. */
  readonly weakened: readonly Weakened[];
  readonly accepted?: { readonly decision: string; readonly reason: string; readonly at: string | null };
}

export const untouched: Judged = { outcome: "untouched", changes: [], weakened: [] };
