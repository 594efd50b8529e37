import { type Check, type ChecksReading, readChecks } from "./acceptance.ts";
import { field, isLine, isObject, isStringList, isText } from "./fields.ts";

/** A subagent's result, whichever of the two forms it came in. */
export interface Report {
  readonly status: "done" | "blocked" | "failed";
  readonly changes: readonly Change[];
  readonly checks: readonly Check[];
  /** Undefined where the result names none: then the assignment's counts. */
  readonly worklogPath: string | undefined;
  readonly notes: readonly string[];
}

interface Change {
  readonly resource: string;
  readonly action: string;
}

export type ReportReading = Report | { readonly error: string; readonly field: string };

const noteBytesMax = 64 * 1024;
const statusWords = ["done", "blocked", "failed"] as const;
const agentStatusWords = new Map<unknown, Report["status"]>([
  ["OK", "done"],
  ["BLOCKED", "blocked"],
  ["FAIL", "failed"],
]);

/** Reads `result` as a hook result, or as an agent's output where its status is one of those words. */
export function readReport(payload: unknown): ReportReading {
  const result = field(payload, "result");
  if (!isObject(result)) return { error: "`result` is missing or not an object", field: "result" };
  const agentStatus = agentStatusWords.get(field(result, "status"));
  const report = agentStatus === undefined ? readResult(result) : readOutput(payload, result, agentStatus);
  if ("error" in report) return report;
  const index = report.notes.findIndex((note) => byteLength(note) > noteBytesMax);
  if (index < 0) return report;
  return {
    error: `note ${index} is longer than ${noteBytesMax} bytes`,
    field: "result.notes_for_orchestrator",
  };
}

function readResult(result: object): ReportReading {
  const status = statusWords.find((word) => word === field(result, "status"));
  if (status === undefined)
    return { error: "`result.status` is none of `done`, `blocked`, `failed`", field: "result.status" };
  const changes = readChanges(field(result, "changes"));
  if ("error" in changes) return changes;
  const read = readTypedChecks(field(result, "acceptance_check"));
  if ("error" in read) return { error: read.error, field: "result.acceptance_check" };
  const worklogPath = field(result, "worklog_path");
  if (worklogPath !== undefined && typeof worklogPath !== "string")
    return { error: "`result.worklog_path` is not a string", field: "result.worklog_path" };
  const notes = field(result, "notes_for_orchestrator");
  if (!isStringList(notes))
    return {
      error: "`result.notes_for_orchestrator` is missing or not a list of strings",
      field: "result.notes_for_orchestrator",
    };
  return { status, changes: changes.list, checks: read.checks, worklogPath, notes };
}

function readChanges(value: unknown): { list: readonly Change[] } | { error: string; field: string } {
  if (!Array.isArray(value))
    return { error: "`result.changes` is missing or not a list", field: "result.changes" };
  const list: Change[] = [];
  for (const [index, item] of value.entries()) {
    const resource = field(item, "resource");
    const action = field(item, "action");
    if (!isLine(resource) || !isText(action))
      return {
        error: `change ${index} is malformed: give its \`resource\` and \`action\` as one-line strings`,
        field: `result.changes[${index}]`,
      };
    list.push({ resource, action });
  }
  return { list };
}

/** An agent's own output says nothing about criteria: the evidence is the caller's, beside the result. */
function readOutput(payload: unknown, result: object, status: Report["status"]): ReportReading {
  const summary = field(result, "summary");
  if (!isText(summary)) return { error: "`result.summary` is missing", field: "result.summary" };
  const artifacts = field(result, "artifacts") ?? {};
  if (!isObject(artifacts))
    return { error: "`result.artifacts` is not an object", field: "result.artifacts" };
  const files = field(artifacts, "files_changed") ?? [];
  if (!Array.isArray(files) || !files.every(isLine))
    return { error: "`files_changed` is not a list of paths", field: "result.artifacts.files_changed" };
  const notes = field(artifacts, "notes") ?? [];
  if (!isStringList(notes))
    return { error: "`artifacts.notes` is not a list of strings", field: "result.artifacts.notes" };
  const read = readTypedChecks(field(payload, "acceptance_check") ?? []);
  if ("error" in read) return { error: read.error, field: "acceptance_check" };
  return {
    status,
    changes: files.map((resource) => ({ resource, action: "edit" })),
    checks: read.checks,
    worklogPath: undefined,
    notes: [summary, ...notes],
  };
}

/** A missing piece of evidence has a code of its own; a wrong type is a result of the wrong form. */
function readTypedChecks(value: unknown): ChecksReading {
  const read = readChecks(value);
  if ("error" in read) return read;
  const index = read.checks.findIndex(
    ({ status, evidence }) =>
      typeof status !== "string" || (evidence !== undefined && typeof evidence !== "string"),
  );
  if (index < 0) return read;
  return {
    error: `entry ${index} of \`acceptance_check\` has a \`status\` or \`evidence\` of the wrong type`,
  };
}

function byteLength(text: string): number {
  return text.length > noteBytesMax ? text.length : new TextEncoder().encode(text).length;
}
