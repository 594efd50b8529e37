import { errorFingerprint } from "../reports/error-fingerprint.ts";
import type { CheckRun } from "./check-record.ts";

/** Lines about what passed: more of them make no failure another one. */
const passed = /^\s*(?:✔|✓|√|✅|ok\b|PASS\b|--- PASS|\[\s*OK\s*\])/;
/** What test runners count besides failures, and how long they took. */
const counted = /\b(duration_ms|time|total|tests?|suites?|pass(?:ed|ing)?)([\s:=]+)\d+(?:\.\d+)?/gi;
const failures =
  /(\d+)\s+(?:fail(?:ed|ing|ures?)?|errors?)\b|\b(?:fail(?:ed|ing|ures?)?|errors?)[\s:=]+(\d+)/gi;

/** True if a check fails as it did before: nothing that held then is broken now, as far as its output tells. */
export function isSameFailure(before: CheckRun, after: CheckRun): boolean {
  return before.exit !== 0 && before.exit === after.exit && traceOf(before.tail) === traceOf(after.tail);
}

/** How many failed counts: a runner may print no more of them than that. */
function traceOf(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "" && !passed.test(line));
  const said = lines.map((line) => line.replace(counted, "$1$2#").trim()).sort();
  const counts = [...output.matchAll(failures)].map(([, one, other]) => one ?? other);
  return `${errorFingerprint("check", said.join("\n"))} ${counts.join(" ")}`;
}
