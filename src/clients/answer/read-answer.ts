import { field, isObject } from "../../core/points/fields.ts";
import {
  type Fault,
  isFault,
  line,
  listLengthMax,
  oneOf,
  optional,
  readFields,
  text,
  texts,
} from "../../core/reports/read-fields.ts";
import { readSubmission, type Submission } from "../../core/reports/read-submission.ts";
import type { ReportedTask } from "../../core/reports/submission.ts";
import { questions, roleNames } from "../../core/session/roles.ts";
import { findingLine } from "./finding-line.ts";

export type AnswerReading =
  | { readonly kind: "report"; readonly report: Submission; readonly output: AgentOutput | null }
  | { readonly kind: "question"; readonly status: keyof typeof questions; readonly output: AgentOutput }
  /** Not what was asked for: `askAgain` says so to the agent. */
  | { readonly kind: "invalid"; readonly reason: string };

/** What an agent's output says beyond a result. */
export interface AgentOutput {
  readonly summary: string;
  /** Findings and review comments, one line each. */
  readonly findings: readonly string[];
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
    return isFault(output) ? invalid(output.error) : { kind: "question", status, output };
  }
  const report = readSubmission(answer, task);
  if (!("kind" in report)) return invalid(report.error);
  if (report.kind !== "result" || !report.agentForm) return { kind: "report", report, output: null };
  const output = readOutput(field(answer, "result") ?? answer, task);
  return isFault(output) ? invalid(output.error) : { kind: "report", report, output };
}

/** What to say to an agent in the same conversation. */
export function askAgain(reason: string): string {
  return `Your answer cannot be used: ${reason}. Answer again with one JSON object of the form that you were given, and nothing else.`;
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

function readOutput(answer: unknown, task: ReportedTask): AgentOutput | Fault {
  const said = readFields(answer, "", { summary: text });
  if (isFault(said)) return said;
  const artifacts = readFields(field(answer, "artifacts"), "artifacts.", {
    findings: optional(findingList),
    review_comments: optional(findingList),
  });
  if (isFault(artifacts)) return artifacts;
  const gates = readFields(field(answer, "gates"), "gates.", {
    meets_definition_of_done: flag,
    needs_review: optional(flag),
    needs_tests: optional(flag),
    security_concerns: optional(texts),
  });
  if (isFault(gates)) return gates;
  const next = readNext(field(answer, "next"), task);
  if (isFault(next)) return next;
  return {
    summary: said.summary,
    findings: [...(artifacts.findings ?? []), ...(artifacts.review_comments ?? [])]
      .map(findingLine)
      .filter((one) => one !== ""),
    meetsDefinitionOfDone: gates.meets_definition_of_done,
    needsReview: gates.needs_review ?? false,
    needsTests: gates.needs_tests ?? false,
    securityConcerns: gates.security_concerns ?? [],
    next,
  };
}

function readNext(next: unknown, task: ReportedTask): AgentOutput["next"] | Fault {
  const read = readFields(next, "next.", {
    recommended_agent: oneOf(roleNames),
    recommended_task_id: line,
    reason: optional(text),
  });
  if (isFault(read)) return read;
  // Some roles' own prompts say `same` for the task they work on.
  const id = read.recommended_task_id === "same" ? task.id : read.recommended_task_id;
  return { agent: read.recommended_agent, task: id, reason: read.reason ?? "" };
}
