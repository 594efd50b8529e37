import type { Finding, Rule } from "../rules/rule.ts";
import { quoted } from "../text/quoted.ts";
import { field, isObject, isText } from "../values/fields.ts";
import { type Reading, rule } from "./reading.ts";

/** The required criteria and the reported checks; undefined if nothing has to be shown now. */
export interface AcceptanceFacts {
  readonly acceptance: Acceptance | undefined;
}

interface Acceptance {
  readonly required: readonly string[];
  readonly checks: readonly Check[];
}

export interface Check {
  readonly criterion: string;
  readonly status: unknown;
  readonly evidence: unknown;
}

/** Shared by PostExecution and PreComplete. */
export const acceptanceRules: readonly Rule<Reading<AcceptanceFacts>>[] = [
  rule("R-PC-001", ({ acceptance }) => acceptance && findMissingCriterion(acceptance)),
  rule("R-PC-002", ({ acceptance }) => acceptance && findUnpassed(acceptance)),
  rule("R-PC-003", ({ acceptance }) => acceptance && findUnproven(acceptance)),
];

export type ChecksReading = { readonly checks: readonly Check[] } | { readonly error: string };

export function readChecks(value: unknown): ChecksReading {
  if (!Array.isArray(value)) return { error: "`acceptance_check` is missing or not a list" };
  const checks: Check[] = [];
  for (const [index, item] of value.entries()) {
    const criterion = field(item, "criterion");
    if (!isObject(item) || !isText(criterion))
      return { error: `entry ${index} of \`acceptance_check\` has no \`criterion\`` };
    checks.push({ criterion, status: field(item, "status"), evidence: field(item, "evidence") });
  }
  return { checks };
}

function findMissingCriterion({ required, checks }: Acceptance): Finding | undefined {
  if (checks.length === 0)
    return {
      reason: "`acceptance_check` is empty: report on every criterion",
      details: { missing: required },
    };
  const reported = new Set(checks.map((check) => check.criterion));
  const missing = required.filter((criterion) => !reported.has(criterion));
  const [first] = missing;
  if (first === undefined) return undefined;
  const more = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
  return {
    reason: `criterion ${quoted(first)}${more} is missing: report on it word for word`,
    details: { criterion: first, missing },
  };
}

/** Every entry must pass, including duplicates and criteria that are not required. */
function findUnpassed({ checks }: Acceptance): Finding | undefined {
  const index = checks.findIndex(({ status }) => status !== "pass");
  const check = checks[index];
  if (check === undefined) return undefined;
  const status = typeof check.status === "string" ? `is ${quoted(check.status)}` : "has no status";
  return {
    reason: `criterion ${quoted(check.criterion)} ${status}: only \`pass\` counts`,
    details: { criterion: check.criterion, index },
  };
}

function findUnproven({ checks }: Acceptance): Finding | undefined {
  const index = checks.findIndex(({ evidence }) => !isText(evidence));
  const check = checks[index];
  if (check === undefined) return undefined;
  return {
    reason: `criterion ${quoted(check.criterion)} has no evidence: give the command or record that shows it`,
    details: { criterion: check.criterion, index },
  };
}
