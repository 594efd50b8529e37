import { allOf, type Fault, isFault } from "../points/fault.ts";
import { shortened } from "../text/quoted.ts";
import { field, isText } from "../values/fields.ts";
import {
  isTooLong,
  lines,
  listLengthMax,
  log,
  object,
  oneOf,
  optional,
  readFields,
  texts,
} from "./read-fields.ts";
import type { Claim, ReportedTask, ResultSubmission } from "./submission.ts";
import { allTestsPass } from "./tests-passing.ts";

/** Maximum characters of each output. */
const evidenceLengthMax = 1000;

const statuses = { complete: "done", needs_review: "done", blocked: "blocked" } as const;
const statusWords = ["complete", "blocked", "needs_review"] as const;

const outputs = { testOutput: optional(log), lintOutput: optional(log), buildOutput: optional(log) };

/** `blocked` is also a status of the hook result, which always has `changes`. */
export function isDelegationOutput(result: object): boolean {
  const status = field(result, "status");
  if (status === "complete" || status === "needs_review") return true;
  if (status !== "blocked" || field(result, "changes") !== undefined) return false;
  return ["deliverable", "evidence", "blockers"].some((name) => field(result, name) !== undefined);
}

/** Reads the output of a delegation as a result: the outputs that the agent gives are the evidence of each criterion. */
export function readDelegationOutput(
  output: object,
  prefix: string,
  task: ReportedTask,
): ResultSubmission | Fault {
  const parts = allOf({
    read: readFields(output, prefix, {
      status: oneOf(statusWords),
      deliverable: field(output, "status") === "blocked" ? optional(object) : object,
      evidence: optional(object),
      blockers: optional(texts),
    }),
    deliverable: readDeliverable(field(output, "deliverable"), `${prefix}deliverable.`),
    evidence: readFields(field(output, "evidence"), `${prefix}evidence.`, outputs),
  });
  if (isFault(parts)) return parts;
  const { read, deliverable, evidence } = parts;
  const status = statuses[read.status];
  const check = { status: deliverable.allPass ? "pass" : "fail", evidence: evidenceText(evidence) };
  const claims: Claim[] =
    status === "done" ? task.criteria.map((criterion) => ({ criterion, ...check })) : [];
  const notes = read.blockers ?? [];
  return {
    kind: "result",
    status,
    result: {
      status,
      changes: deliverable.changes,
      acceptance_check: claims,
      ...(task.worklogPath !== undefined && { worklog_path: task.worklogPath }),
      notes_for_orchestrator: notes,
    },
    agentForm: false,
    claims,
    reason: status === "done" ? undefined : notes[0],
  };
}

function readDeliverable(deliverable: unknown, prefix: string) {
  const read = readFields(deliverable, prefix, {
    filesCreated: optional(lines),
    filesModified: optional(lines),
    testsPassing: optional(answer),
  });
  if (isFault(read)) return read;
  const created = (read.filesCreated ?? []).map((resource) => ({ resource, action: "create" }));
  const modified = (read.filesModified ?? []).map((resource) => ({ resource, action: "edit" }));
  const allPass = allTestsPass(read.testsPassing, field(deliverable, "testsAdded"));
  return { changes: [...created, ...modified], allPass };
}

type Answer = number | boolean | string | readonly unknown[];

const answer = {
  is: (value: unknown): value is Answer => {
    if (typeof value === "string") return !isTooLong(value);
    if (Array.isArray(value)) return value.length <= listLengthMax;
    return typeof value === "number" || typeof value === "boolean";
  },
  wanted: "a number, a list, `true` or `false`",
};

function evidenceText(evidence: Readonly<Record<keyof typeof outputs, string | undefined>>): string {
  return Object.entries(evidence)
    .filter((entry): entry is [string, string] => isText(entry[1]))
    .map(([name, text]) => `${name}: ${shortened(text.trim(), evidenceLengthMax).toWellFormed()}`)
    .join("\n");
}
