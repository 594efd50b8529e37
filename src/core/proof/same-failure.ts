import { errorFingerprint } from "../reports/error-fingerprint.ts";
import type { CheckRun } from "./check-record.ts";

/** Lines about passed tests, which do not distinguish failures. */
const passed = /^\s*(?:✔|✓|√|✅|ok\b|PASS\b|--- PASS|\[\s*OK\s*\])/;
/** Counts other than failures, and durations. */
const counted = /\b(duration_ms|time|total|tests?|suites?|pass(?:ed|ing)?)([\s:=]+)\d+(?:\.\d+)?/gi;
const failures =
  /(\d+)\s+(?:fail(?:ed|ing|ures?)?|errors?)\b|\b(?:fail(?:ed|ing|ures?)?|errors?)[\s:=]+(\d+)/gi;

/** True if a check fails as it did before: judged by its output, nothing else is broken. */
export function isSameFailure(before: CheckRun, after: CheckRun): boolean {
  return before.exit !== 0 && before.exit === after.exit && traceOf(before.tail) === traceOf(after.tail);
}

/** Includes the number of failures: a runner may print nothing else about them. */
function traceOf(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "" && !passed.test(line));
  const said = lines.map((line) => line.replace(counted, "$1$2#").trim()).sort();
  const counts = [...output.matchAll(failures)].map(([, one, other]) => one ?? other);
  return `${errorFingerprint("check", said.join("\n"))} ${counts.join(" ")}`;
}
