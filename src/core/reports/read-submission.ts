import type { Fault } from "../points/fault.ts";
import { type Report, readReport } from "../points/read-report.ts";
import { quoted } from "../text/quoted.ts";
import { field, isLine, isObject, isText } from "../values/fields.ts";
import { isAgentStatus } from "./is-answer.ts";
import { isDelegationOutput, readDelegationOutput } from "./read-delegation-output.ts";
import { readErrorReport } from "./read-error-report.ts";
import { readEscalation } from "./read-escalation.ts";
import { isTooLong, listLengthMax, textBytesMax } from "./read-fields.ts";
import type { Claim, ReportedTask, ResultSubmission, Submission } from "./submission.ts";

export type { Submission } from "./submission.ts";

const wrappers = ["result", "error", "escalation"] as const;
const hookStatuses: readonly unknown[] = ["done", "blocked", "failed"];

const forms =
  "give a result (`status` is `done`, `blocked` or `failed`), an agent's output (`OK`, `BLOCKED` or `FAIL`), " +
  "a delegation's output (`complete`, `blocked` or `needs_review`), an `error` or an `escalation`";

/** Reads an agent's submission in any of the accepted forms. */
export function readSubmission(document: unknown, task: ReportedTask): Submission | Fault {
  if (!isObject(document)) return { error: `the submission is not an object: ${forms}`, field: "document" };
  const present = wrappers.filter((name) => isObject(field(document, name)));
  if (present[0] !== "result" && field(document, "status") !== undefined) present.unshift("result");
  const [kind, other] = present;
  if (other !== undefined)
    return {
      error: `the submission contains more than one report: submit \`${other}\` separately`,
      field: other,
    };
  if (kind === undefined) return unknownForm(document);
  const wrapped = field(document, kind);
  const body = isObject(wrapped) ? wrapped : document;
  const stray = findOtherTask(document, "", task) ?? findOtherTask(body, prefixOf(kind, wrapped), task);
  if (stray !== undefined) return stray;
  if (kind === "error") return readErrorReport(body);
  if (kind === "escalation") return readEscalation(body, task.id);
  return readResult(document, body, task);
}

function prefixOf(name: string, wrapped: unknown): string {
  return isObject(wrapped) ? `${name}.` : "";
}

function unknownForm(document: object): Fault {
  const name = wrappers.find((one) => field(document, one) !== undefined);
  if (name !== undefined) return { error: `\`${name}\` is not an object: ${forms}`, field: name };
  return { error: `the submission has no \`status\`: ${forms}`, field: "status" };
}

/** If a report names a task anywhere, it must be this one. */
function findOtherTask(of: object, prefix: string, task: ReportedTask): Fault | undefined {
  for (const name of ["taskId", "task_id"]) {
    const id = field(of, name);
    if (id === undefined || id === task.id) continue;
    const found = isLine(id) ? `is ${quoted(id)}` : "is not a one-line string";
    return {
      error: `\`${prefix}${name}\` ${found}, but the report is for task ${quoted(task.id)}`,
      field: prefix + name,
    };
  }
  return undefined;
}

function readResult(document: object, body: object, task: ReportedTask): ResultSubmission | Fault {
  const bare = body === document;
  if (isDelegationOutput(body)) return readDelegationOutput(body, bare ? "" : "result.", task);
  const status = field(body, "status");
  const agentForm = isAgentStatus(status);
  if (!agentForm && !hookStatuses.includes(status)) {
    const found = isLine(status)
      ? `is ${quoted(status)}, which is not a known status`
      : "is missing or not a word";
    const name = bare ? "status" : "result.status";
    return { error: `\`${name}\` ${found}: ${forms}`, field: name };
  }
  const report = readReport(bare ? { result: body } : document);
  const fault = "error" in report ? report : findOversized(report, agentForm);
  if (fault !== undefined) return bare ? withoutWrapper(fault) : fault;
  return submissionOf(report as Report, agentForm, task);
}

function submissionOf(report: Report, agentForm: boolean, task: ReportedTask): ResultSubmission {
  const { status, changes, notes } = report;
  const claims: Claim[] = report.checks.map((check) => ({
    criterion: check.criterion,
    status: String(check.status),
    evidence: typeof check.evidence === "string" ? check.evidence : "",
  }));
  const worklogPath = report.worklogPath ?? task.worklogPath;
  return {
    kind: "result",
    status,
    result: {
      status,
      changes,
      acceptance_check: agentForm ? [] : claims,
      ...(worklogPath !== undefined && { worklog_path: worklogPath }),
      notes_for_orchestrator: notes,
    },
    agentForm,
    claims,
    reason: status === "done" ? undefined : notes.find(isText),
  };
}

function withoutWrapper({ error, field, more }: Fault): Fault {
  return {
    error: error.replaceAll("`result.", "`"),
    field: field.replace(/^result\./, ""),
    ...(more === undefined ? {} : { more: more.map(withoutWrapper) }),
  };
}

/** Checks the size of all texts except notes, which are checked where they are read. */
function findOversized(report: Report, agentForm: boolean): Fault | undefined {
  const checks = agentForm ? "acceptance_check" : "result.acceptance_check";
  const changes = agentForm ? "result.artifacts.files_changed" : "result.changes";
  const notes = agentForm ? "result.artifacts.notes" : "result.notes_for_orchestrator";
  const parts: [string, readonly unknown[]][] = [
    [changes, report.changes.flatMap(({ resource, action }) => [resource, action])],
    [checks, report.checks.flatMap(({ criterion, status, evidence }) => [criterion, status, evidence])],
    ["result.worklog_path", [report.worklogPath]],
  ];
  const lists = { [changes]: report.changes, [checks]: report.checks, [notes]: report.notes };
  for (const [field, { length }] of Object.entries(lists))
    if (length > listLengthMax)
      return { error: `\`${field}\` has more than ${listLengthMax} entries`, field };
  for (const [field, texts] of parts)
    if (texts.some((text) => typeof text === "string" && isTooLong(text)))
      return { error: `a text in \`${field}\` is longer than ${textBytesMax} bytes`, field };
  return undefined;
}
