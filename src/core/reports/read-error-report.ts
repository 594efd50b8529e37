import { type Fault, isFault } from "../points/fault.ts";
import { shortened } from "../text/quoted.ts";
import { count, line, log, oneOf, optional, readFields, text } from "./read-fields.ts";
import { type ErrorSubmission, errorTypes } from "./submission.ts";

/** In characters; with at most four bytes each, this stays within the limit for texts. */
const stackTraceLengthMax = 16 * 1024;

/** Reads the value of `error`. */
export function readErrorReport(report: object): ErrorSubmission | Fault {
  const read = readFields(report, "error.", {
    taskId: line,
    agent: line,
    errorType: oneOf(errorTypes),
    message: text,
    stackTrace: optional(log),
    attemptedFix: text,
    retryCount: count,
    recommendation: text,
  });
  if (isFault(read)) return read;
  const stackTrace = read.stackTrace && shortened(read.stackTrace, stackTraceLengthMax).toWellFormed();
  return { kind: "error", report: { ...read, stackTrace } };
}
