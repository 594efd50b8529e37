import { errorFingerprint } from "../../core/reports/error-fingerprint.ts";
import { ruleText } from "../../core/rules/catalog.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { FixDelta, Refusal } from "../../core/tasks/task.ts";

/** Two refusals with the same fingerprint are the same error. */
export function fingerprintOf({ code, reason }: Refusal): string {
  return errorFingerprint(code ?? "reported", reason);
}

export function refusalOf({ code, reason, details }: Deny): Refusal {
  return { code, reason, details };
}

/** The information for the next attempt: why the last one was refused, and what would be accepted. */
export function fixDeltaOf({ code, reason, details }: Deny): FixDelta {
  return { code, reason, guidance: ruleText(code).remedy, details };
}
