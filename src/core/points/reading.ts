import type { RuleCode } from "../rules/catalog.ts";
import type { Finding, Rule } from "../rules/rule.ts";

/** A payload as the rules see it: what it says, or why it cannot be read. */
export type Reading<Facts> = { readonly problem: Finding } | { readonly facts: Facts };

/** The first line of a table: a payload of the wrong form. */
export function unreadable(code: RuleCode): Rule<Reading<unknown>> {
  return { code, check: (reading) => ("problem" in reading ? reading.problem : undefined) };
}

/** A line that looks at what was read. */
export function rule<Facts>(code: RuleCode, check: Rule<Facts>["check"]): Rule<Reading<Facts>> {
  return { code, check: (reading) => ("facts" in reading ? check(reading.facts) : undefined) };
}

export function problem(reason: string, details: Finding["details"] = {}): { readonly problem: Finding } {
  return { problem: { reason, details } };
}
