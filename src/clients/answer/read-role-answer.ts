import { isFault, problemsOf } from "../../core/points/fault.ts";
import { lines, optional, readFields, texts } from "../../core/reports/read-fields.ts";
import type { Submission } from "../../core/reports/submission.ts";
import { field, isText } from "../../core/values/fields.ts";
import { findingLine, severityOf } from "./finding-line.ts";
import { type AgentOutput, type AnswerReading, findingList, readAnswer } from "./read-answer.ts";

type RoleStatus = "OK" | "BLOCKED" | "FAIL" | "NEEDS_INFO" | "NEEDS_DECISION";

/** The answer of a role, for any request. */
export interface RoleAnswer {
  readonly status: RoleStatus;
  readonly summary: string;
  readonly next: AgentOutput["next"];
  /** Findings, review comments, security concerns and failed tests, one line each. */
  readonly findings: readonly string[];
  /** Questions for a person; none if the status does not ask for one. */
  readonly questions: readonly string[];
  readonly filesToUpdate: readonly string[];
  readonly commands: readonly string[];
  readonly notes: readonly string[];
  /** Steps that a person has to do by hand. */
  readonly manualSteps: readonly string[];
  readonly gates: {
    readonly meetsDefinitionOfDone: boolean;
    readonly needsReview: boolean;
    readonly needsTests: boolean;
    readonly securityConcerns: readonly string[];
  };
}

interface Reading {
  readonly role: string;
  readonly task?: string;
  /** True if it reviews the work of others, in any role. */
  readonly isReview?: boolean;
}

/** Roles whose findings decide, whatever status they answer. */
const checkers = ["Reviewer", "QA", "Security"];
const findingsMax = 50;
const words = { done: "OK", blocked: "BLOCKED", failed: "FAIL" } as const;

/** Reads the result of `findAnswer`. Fields that decide are required; lists may be missing (A4-15). */
export function readRoleAnswer(
  answer: unknown,
  { role, task = "meta", isReview = checkers.includes(role) }: Reading,
): RoleAnswer | { readonly invalid: string } {
  const read = readAnswer(answer, { task: { id: task, criteria: [], worklogPath: undefined }, role });
  const artifacts = field(field(answer, "result") ?? answer, "artifacts");
  const lists = readFields(artifacts, "artifacts.", {
    files_to_create_or_update: optional(lines),
    commands_to_run: optional(texts),
    notes: optional(texts),
    questions: optional(findingList),
  });
  if (read.kind === "invalid" || isFault(lists)) return { invalid: problemsIn(read, lists).join("\n") };
  const said = read.kind === "question" ? read.status : wordOf(read.report);
  if (read.output === null || said === undefined)
    return { invalid: "it must have `status`, `summary`, `artifacts`, `gates` and `next`" };
  const { summary, next, findings, manualSteps, testsChanged: _, ...gates } = read.output;
  const all = [...findings, ...gates.securityConcerns.map(findingLine), ...failedTests(artifacts)];
  const parts = {
    ...{ role, artifacts, summary, gates },
    found: [...new Set(all)],
    notes: lists.notes ?? [],
  };
  const status = isReview ? judged(said, parts) : said;
  return {
    ...{ status, summary, next, gates, notes: parts.notes, manualSteps },
    findings: parts.found.slice(0, findingsMax),
    questions: status.startsWith("NEEDS_") ? questionsOf(lists.questions ?? [], parts) : [],
    filesToUpdate: lists.files_to_create_or_update ?? [],
    commands: lists.commands_to_run ?? [],
  };
}

/** Reports each field once. */
function problemsIn(read: AnswerReading, lists: object): readonly string[] {
  const reported = read.kind === "invalid" ? read.reason : "";
  const more = isFault(lists) ? problemsOf(lists) : [];
  const isNew = (problem: string) => !reported.includes(/^`[^`]*`/.exec(problem)?.[0] ?? problem);
  return [...(reported === "" ? [] : [reported]), ...more.filter(isNew)];
}

function wordOf(report: Submission): RoleStatus | undefined {
  return report.kind === "result" ? words[report.status] : undefined;
}

interface Parts extends Pick<RoleAnswer, "summary" | "notes" | "gates"> {
  readonly role: string;
  readonly artifacts: unknown;
  readonly found: readonly string[];
}

/** Findings count more than the answered status. */
function judged(said: RoleStatus, { role, found, artifacts, gates }: Parts): RoleStatus {
  const severities = new Set(found.map(severityOf));
  if (severities.has("blocking") || needsFixes(field(artifacts, "verdict"))) return "BLOCKED";
  if (said !== "OK") return said;
  if (role === "Security" && severities.has("medium")) return "NEEDS_DECISION";
  return gates.meetsDefinitionOfDone ? "OK" : "BLOCKED";
}

function needsFixes(verdict: unknown): boolean {
  return typeof verdict === "string" && /^\s*needs[\s_-]*fix/i.test(verdict);
}

/** A failed test is a blocking finding. The number may be a count or a list. */
function failedTests(artifacts: unknown): readonly string[] {
  const results = field(artifacts, "test_results");
  const failed = field(results, "failed");
  const count = Array.isArray(failed) ? failed.length : Number(failed ?? 0);
  if (!(count > 0)) return [];
  const output = field(results, "output");
  const tests = count === 1 ? "1 test failed" : `${count} tests failed`;
  return [findingLine(`high: ${tests}${isText(output) ? `: ${output}` : ""}`)];
}

/** The questions themselves, else the findings to decide about, else the notes or the summary. */
function questionsOf(asked: readonly unknown[], { role, found, notes, summary }: Parts): readonly string[] {
  const own = asked.map(findingLine).filter((one) => one !== "");
  const open = role === "Security" ? found.filter((one) => severityOf(one) === "medium") : [];
  return [own, open, notes, [summary]].find((some) => some.length > 0) ?? [];
}
