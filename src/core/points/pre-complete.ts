import type { Rule } from "../rules/rule.ts";
import { field, isLine, isTextList } from "../values/fields.ts";
import { type AcceptanceFacts, acceptanceRules, readChecks } from "./acceptance.ts";
import { problem, type Reading, unreadable } from "./reading.ts";

export function factsOf(payload: unknown): Reading<AcceptanceFacts> {
  if (!isLine(field(payload, "task_id")))
    return problem("`task_id` is missing or not a one-line string", { field: "task_id" });
  const read = readChecks(field(payload, "acceptance_check"));
  if ("error" in read) return problem(read.error, { field: "acceptance_check" });
  const required = field(payload, "required_criteria");
  if (!isTextList(required))
    return problem("`required_criteria` is missing or not a list of non-blank strings", {
      field: "required_criteria",
    });
  return { facts: { acceptance: { required, checks: read.checks } } };
}

export const rules: readonly Rule<Reading<AcceptanceFacts>>[] = [unreadable("R-PC-001"), ...acceptanceRules];
