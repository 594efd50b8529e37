import type { Finding } from "../rules/rule.ts";
import { field, isLine, isObject, isStringList, isText, isTextList } from "../values/fields.ts";
import type { DispatchFacts } from "./pre-dispatch.ts";

interface Required {
  readonly name: string;
  readonly wanted: string;
  has(facts: DispatchFacts): boolean;
}

const required: readonly Required[] = [
  {
    name: "task_id",
    wanted: "a non-blank string without control characters",
    has: ({ taskId }) => isLine(taskId),
  },
  { name: "assignment", wanted: "an object", has: ({ assignment }) => isObject(assignment) },
  {
    name: "assignment.lock_scope",
    wanted: "a list of paths",
    has: ({ lockScope }) => lockScope !== undefined,
  },
  {
    name: "assignment.acceptance_criteria",
    wanted: "a list of at least one non-blank string",
    has: ({ assignment }) => isFilled(field(assignment, "acceptance_criteria")),
  },
  {
    name: "active_locks",
    wanted: "a list of lock records, empty if there are none",
    has: ({ activeLocks }) => activeLocks !== undefined,
  },
];

/** A packet that has one of these fields must have all of them. */
const checklist: readonly Required[] = [
  {
    name: "assignment.objective",
    wanted: "a non-blank string",
    has: ({ assignment }) => isText(field(assignment, "objective")),
  },
  {
    name: "assignment.forbidden_actions",
    wanted: "a list of strings",
    has: ({ assignment }) => isStringList(field(assignment, "forbidden_actions")),
  },
  {
    name: "assignment.evidence",
    wanted: "a list of at least one non-blank string",
    has: ({ assignment }) => isFilled(field(assignment, "evidence")),
  },
];

function isFilled(value: unknown): boolean {
  return isTextList(value) && value.length > 0;
}

/** R-PD-001: a field without its own code is absent or has the wrong type. */
export function findMissingField(facts: DispatchFacts): Finding | undefined {
  const carriesChecklist = ["objective", "forbidden_actions", "evidence"].some(
    (name) => field(facts.assignment, name) !== undefined,
  );
  const wanted = carriesChecklist ? [...required, ...checklist] : required;
  const missing = wanted.find((one) => !one.has(facts));
  if (missing === undefined) return undefined;
  return {
    reason: `\`${missing.name}\` is missing or of the wrong form: give ${missing.wanted}`,
    details: { field: missing.name },
  };
}
