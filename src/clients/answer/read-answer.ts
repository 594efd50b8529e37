import { questions, roleNames } from "../../core/names/roles.ts";
import { allOf, type Fault, isFault, problemsOf } from "../../core/points/fault.ts";
import { isAgentStatus } from "../../core/reports/is-answer.ts";
import {
  line,
  lines,
  listLengthMax,
  oneOf,
  optional,
  readFields,
  text,
  texts,
} from "../../core/reports/read-fields.ts";
import { readSubmission, type Submission } from "../../core/reports/read-submission.ts";
import type { ReportedTask } from "../../core/reports/submission.ts";
import { field, isObject } from "../../core/values/fields.ts";
import { findingLine } from "./finding-line.ts";

export type AnswerReading =
  | { readonly kind: "report"; readonly report: Submission; readonly output: AgentOutput | null }
  | { readonly kind: "question"; readonly status: keyof typeof questions; readonly output: AgentOutput }
  /** Not what was asked for: all problems, one a line; `askAgain` says so to the agent. */
  | { readonly kind: "invalid"; readonly reason: string };

/** What an agent's output says beyond a result. */
export interface AgentOutput {
  readonly summary: string;
  /** Findings and review comments, one line each. */
  readonly findings: readonly string[];
  /** What a person has to do by hand. */
  readonly manualSteps: readonly string[];
  readonly testsChanged: readonly string[];
  readonly meetsDefinitionOfDone: boolean;
  readonly needsReview: boolean;
  readonly needsTests: boolean;
  readonly securityConcerns: readonly string[];
  readonly next: { readonly agent: string; readonly task: string; readonly reason: string };
}

/** Reads what `findAnswer` found, in any of the forms in which agents report. */
export function readAnswer(
  answer: unknown,
  { task, role }: { readonly task: ReportedTask; readonly role: string },
): AnswerReading {
  if (answer === undefined) return invalid("there is no JSON object in it");
  const status = field(answer, "status");
  if (isQuestion(status)) {
    if (role !== questions[status])
      return invalid(`\`${status}\` is for ${questions[status]} alone: say \`BLOCKED\` and why`);
    const output = readOutput(answer, task);
    return isFault(output) ? faulty(output) : { kind: "question", status, output };
  }
  const report = readSubmission(answer, task);
  const body = field(answer, "result") ?? answer;
  if (!isAgentStatus(field(body, "status")) || ("kind" in report && report.kind !== "result"))
    return "kind" in report ? { kind: "report", report, output: null } : faulty(report);
  const output = readOutput(body, task, body === answer ? "" : "result.");
  // Of a field that both read, the output says best what it should be.
  const read = allOf({ output, report });
  return isFault(read) ? faulty(read) : { kind: "report", ...read };
}

/** What to say to an agent in the same conversation. */
export function askAgain(reason: string): string {
  const told = reason.includes("\n") ? `\n${reason}\n` : ` ${reason}. `;
  return `Your answer cannot be used:${told}Answer again with one JSON object of the form that you were given, and nothing else.`;
}

function faulty(fault: Fault): AnswerReading {
  return invalid(problemsOf(fault).join("\n"));
}

function invalid(reason: string): AnswerReading {
  return { kind: "invalid", reason };
}

function isQuestion(status: unknown): status is keyof typeof questions {
  return typeof status === "string" && Object.hasOwn(questions, status);
}

/** Findings are texts, or objects that say where and how bad. */
export const findingList = {
  is: (value: unknown): value is readonly unknown[] =>
    Array.isArray(value) &&
    value.length <= listLengthMax &&
    value.every((item) => typeof item === "string" || isObject(item)),
  wanted: `a list of at most ${listLengthMax} texts or objects, which may be empty`,
};

const flag = {
  is: (value: unknown): value is boolean => typeof value === "boolean",
  wanted: "`true` or `false`",
};

function readOutput(answer: unknown, task: ReportedTask, prefix = ""): AgentOutput | Fault {
  const read = allOf({
    said: readFields(answer, prefix, { summary: text }),
    artifacts: readFields(field(answer, "artifacts"), `${prefix}artifacts.`, {
      findings: optional(findingList),
      review_comments: optional(findingList),
      manual_steps: optional(texts),
      tests_added_or_updated: optional(lines),
    }),
    gates: readFields(field(answer, "gates"), `${prefix}gates.`, {
      meets_definition_of_done: flag,
      needs_review: optional(flag),
      needs_tests: optional(flag),
      security_concerns: optional(texts),
    }),
    next: readNext(field(answer, "next"), task, `${prefix}next.`),
  });
  if (isFault(read)) return read;
  const { said, artifacts, gates, next } = read;
  return {
    summary: said.summary,
    findings: [...(artifacts.findings ?? []), ...(artifacts.review_comments ?? [])]
      .map(findingLine)
      .filter((one) => one !== ""),
    manualSteps: artifacts.manual_steps ?? [],
    testsChanged: artifacts.tests_added_or_updated ?? [],
    meetsDefinitionOfDone: gates.meets_definition_of_done,
    needsReview: gates.needs_review ?? false,
    needsTests: gates.needs_tests ?? false,
    securityConcerns: gates.security_concerns ?? [],
    next,
  };
}

function readNext(next: unknown, task: ReportedTask, prefix: string): AgentOutput["next"] | Fault {
  const read = readFields(next, prefix, {
    recommended_agent: oneOf(roleNames),
    recommended_task_id: line,
    reason: optional(text),
  });
  if (isFault(read)) return read;
  // Some roles' own prompts say `same` for the task they work on.
  const id = read.recommended_task_id === "same" ? task.id : read.recommended_task_id;
  return { agent: read.recommended_agent, task: id, reason: read.reason ?? "" };
}
