import type { RuleCode } from "./catalog.ts";
import { allow, type Details, deny, type Verdict } from "./verdict.ts";

export interface Finding {
  readonly reason: string;
  readonly details?: Details;
}

type Outcome = Finding | undefined;

/** One row of a hook point's table: a check, and the code with which it denies. */
export interface Rule<Facts> {
  readonly code: RuleCode;
  check(facts: Facts): Outcome | Promise<Outcome>;
}

/** The first rule with a finding decides: the order of the table is its precedence. */
export async function decide<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Promise<Verdict> {
  for (const rule of rules) {
    const outcome = rule.check(facts);
    const finding = outcome instanceof Promise ? await outcome : outcome;
    if (finding !== undefined) return deny(rule.code, finding.reason, finding.details);
  }
  return allow();
}
