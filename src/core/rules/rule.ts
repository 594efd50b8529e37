import type { RuleCode } from "./catalog.ts";
import { allow, type Details, deny, type Verdict } from "./verdict.ts";

export interface Finding {
  readonly reason: string;
  readonly details?: Details;
}

type Outcome = Finding | undefined;

/** One line of a hook point's table: what it looks at, and the code it denies with. */
export interface Rule<Facts> {
  readonly code: RuleCode;
  check(facts: Facts): Outcome | Promise<Outcome>;
}

/** The first rule that finds something decides; a table's order is its precedence. */
export async function decide<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Promise<Verdict> {
  for (const rule of rules) {
    const outcome = rule.check(facts);
    const finding = outcome instanceof Promise ? await outcome : outcome;
    if (finding !== undefined) return deny(rule.code, finding.reason, finding.details);
  }
  return allow();
}
