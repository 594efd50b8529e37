import { allOf, type Fault, isFault } from "../points/fault.ts";
import { field } from "../values/fields.ts";
import { optional, readFields, text, texts } from "./read-fields.ts";
import type { Escalation } from "./submission.ts";

/** Reads the value of `escalation`. */
export function readEscalation(escalation: object, taskId: string): Escalation | Fault {
  const spelling = field(escalation, "attempted_paths") === undefined ? "attemptedPaths" : "attempted_paths";
  const parts = allOf({
    read: readFields(escalation, "escalation.", { reason: optional(text), blockers: texts }),
    paths: readFields(escalation, "escalation.", { [spelling]: texts }),
  });
  if (isFault(parts)) return parts;
  const { read, paths } = parts;
  const reason = read.reason ?? read.blockers[0];
  if (reason === undefined)
    return {
      error: "`escalation` has neither a `reason` nor a blocker: give one",
      field: "escalation.reason",
    };
  return {
    kind: "escalation",
    taskId,
    reason,
    attemptedPaths: paths[spelling] ?? [],
    blockers: read.blockers,
  };
}
