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
  /** An unusable answer. `reason` has all problems, one per line; `askAgain` sends them to the agent. */
  | { readonly kind: "invalid"; readonly reason: string };

/** The parts of an agent's output beyond its result. */
export interface AgentOutput {
  readonly summary: string;
  /** Findings and review comments, one line each. */
  readonly findings: readonly string[];
  /** Steps that a person has to do by hand. */
  readonly manualSteps: readonly string[];
  readonly testsChanged: readonly string[];
  readonly meetsDefinitionOfDone: boolean;
  readonly needsReview: boolean;
  readonly needsTests: boolean;
  readonly securityConcerns: readonly string[];
  readonly next: { readonly agent: string; readonly task: string; readonly reason: string };
}

/** Reads the result of `findAnswer`, in any form that agents use. */
export function readAnswer(
  answer: unknown,
  { task, role }: { readonly task: ReportedTask; readonly role: string },
): AnswerReading {
  if (answer === undefined) return invalid("it contains no JSON object");
  const status = field(answer, "status");
  if (isQuestion(status)) {
    if (role !== questions[status])
      return invalid(
        `only ${questions[status]} may answer \`${status}\`: answer \`BLOCKED\` with the reason`,
      );
    const output = readOutput(answer, task);
    return isFault(output) ? faulty(output) : { kind: "question", status, output };
  }
  const report = readSubmission(answer, task);
  const body = field(answer, "result") ?? answer;
  if (!isAgentStatus(field(body, "status")) || ("kind" in report && report.kind !== "result"))
    return "kind" in report ? { kind: "report", report, output: null } : faulty(report);
  const output = readOutput(body, task, body === answer ? "" : "result.");
  // If both report a fault in the same field, the output's description is better.
  const read = allOf({ output, report });
  return isFault(read) ? faulty(read) : { kind: "report", ...read };
}

/** The prompt that asks for a usable answer in the same conversation. */
export function askAgain(reason: string): string {
  const problems = reason.includes("\n") ? `\n${reason}\n` : ` ${reason}. `;
  return `Your answer cannot be used:${problems}Answer again with one JSON object of the form that you were given, and nothing else.`;
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

/** Findings are texts, or objects with a place and a severity. */
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
  // Some roles' prompts use `same` for the current task.
  const id = read.recommended_task_id === "same" ? task.id : read.recommended_task_id;
  return { agent: read.recommended_agent, task: id, reason: read.reason ?? "" };
}
