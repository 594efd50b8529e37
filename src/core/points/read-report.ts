import { field, isLine, isObject, isStringList, isText } from "../values/fields.ts";
import { type Check, type ChecksReading, readChecks } from "./acceptance.ts";
import { allOf, type Fault, isFault } from "./fault.ts";

/** A subagent's result, normalised from either of its two forms. */
export interface Report {
  readonly status: "done" | "blocked" | "failed";
  readonly changes: readonly Change[];
  readonly checks: readonly Check[];
  /** Undefined if the result names none; the assignment's path applies then. */
  readonly worklogPath: string | undefined;
  readonly notes: readonly string[];
}

interface Change {
  readonly resource: string;
  readonly action: string;
}

export type ReportReading = Report | Fault;

const noteBytesMax = 64 * 1024;
const statusWords = ["done", "blocked", "failed"] as const;
const agentStatusWords = new Map<unknown, Report["status"]>([
  ["OK", "done"],
  ["BLOCKED", "blocked"],
  ["FAIL", "failed"],
]);

/** Reads `result` as a hook result, or as an agent's output if its status is `OK`, `BLOCKED` or `FAIL`. */
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
  const read = allOf({
    changes: readChanges(field(result, "changes")),
    checks: readTypedChecks(field(result, "acceptance_check"), "result.acceptance_check"),
    worklog: readWorklog(field(result, "worklog_path")),
    notes: readNotes(field(result, "notes_for_orchestrator"), {
      error: "`result.notes_for_orchestrator` is missing or not a list of strings",
      field: "result.notes_for_orchestrator",
    }),
  });
  if (isFault(read)) return read;
  const { changes, checks, worklog, notes } = read;
  return { status, changes: changes.list, ...checks, worklogPath: worklog.path, notes };
}

function readWorklog(path: unknown): { readonly path: string | undefined } | Fault {
  if (path === undefined || typeof path === "string") return { path };
  return { error: "`result.worklog_path` is not a string", field: "result.worklog_path" };
}

function readNotes(notes: unknown, fault: Fault): readonly string[] | Fault {
  return isStringList(notes) ? notes : fault;
}

function readChanges(value: unknown): { readonly list: readonly Change[] } | Fault {
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

/** An agent's output has no criteria: the caller gives `acceptance_check` next to `result`. */
function readOutput(payload: unknown, result: object, status: Report["status"]): ReportReading {
  const artifacts = field(result, "artifacts") ?? {};
  const read = allOf({
    summary: readSummary(field(result, "summary")),
    artifacts: isObject(artifacts)
      ? {}
      : { error: "`result.artifacts` is not an object", field: "result.artifacts" },
    files: readPaths(field(artifacts, "files_changed") ?? []),
    notes: readNotes(field(artifacts, "notes") ?? [], {
      error: "`artifacts.notes` is not a list of strings",
      field: "result.artifacts.notes",
    }),
    checks: readTypedChecks(field(payload, "acceptance_check") ?? [], "acceptance_check"),
  });
  if (isFault(read)) return read;
  return {
    status,
    changes: read.files.map((resource) => ({ resource, action: "edit" })),
    ...read.checks,
    worklogPath: undefined,
    notes: [read.summary.text, ...read.notes],
  };
}

function readSummary(text: unknown): { readonly text: string } | Fault {
  return isText(text) ? { text } : { error: "`result.summary` is missing", field: "result.summary" };
}

function readPaths(files: unknown): readonly string[] | Fault {
  if (Array.isArray(files) && files.every(isLine)) return files;
  return { error: "`files_changed` is not a list of paths", field: "result.artifacts.files_changed" };
}

/** Missing evidence has its own code; a wrong type makes the whole result invalid. */
function readTypedChecks(
  value: unknown,
  place: string,
): Exclude<ChecksReading, { readonly error: string }> | Fault {
  const read = readChecks(value);
  if ("error" in read) return { error: read.error, field: place };
  const index = read.checks.findIndex(
    ({ status, evidence }) =>
      typeof status !== "string" || (evidence !== undefined && typeof evidence !== "string"),
  );
  if (index < 0) return read;
  return {
    error: `entry ${index} of \`acceptance_check\` has a \`status\` or \`evidence\` of the wrong type`,
    field: place,
  };
}

function byteLength(text: string): number {
  return text.length > noteBytesMax ? text.length : new TextEncoder().encode(text).length;
}
