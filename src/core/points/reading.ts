import type { RuleCode } from "../rules/catalog.ts";
import type { Finding, Rule } from "../rules/rule.ts";

/** The facts of a payload, or why it cannot be read. */
export type Reading<Facts> = { readonly problem: Finding } | { readonly facts: Facts };

/** The first row of a table: denies an invalid payload. */
export function unreadable(code: RuleCode): Rule<Reading<unknown>> {
  return { code, check: (reading) => ("problem" in reading ? reading.problem : undefined) };
}

/** A row that checks the facts of a valid payload. */
export function rule<Facts>(code: RuleCode, check: Rule<Facts>["check"]): Rule<Reading<Facts>> {
  return { code, check: (reading) => ("facts" in reading ? check(reading.facts) : undefined) };
}

export function problem(reason: string, details: Finding["details"] = {}): { readonly problem: Finding } {
  return { problem: { reason, details } };
}
