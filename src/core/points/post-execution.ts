import type { Finding, Rule } from "../rules/rule.ts";
import { quoted } from "../text/quoted.ts";
import { field, isLine, isTextList } from "../values/fields.ts";
import { type AcceptanceFacts, acceptanceRules } from "./acceptance.ts";
import { findForbidden, findOutside, spellingsOf, type WriteLimits } from "./judge-write.ts";
import type { Ports } from "./ports.ts";
import { type Report, readReport } from "./read-report.ts";
import { problem, type Reading, rule, unreadable } from "./reading.ts";
import { readLimits, targetOf } from "./write-limits.ts";

export interface ResultFacts extends AcceptanceFacts {
  readonly report: Report;
  readonly limits: WriteLimits;
  readonly worklogs: readonly Worklog[];
  readonly findSecrets: Ports["findSecrets"];
}

/** A file that must have grown. */
interface Worklog {
  readonly path: string;
  readonly bytesBefore: number;
}

type ResultPorts = Pick<Ports, "place" | "disk" | "findSecrets">;

export function factsOf(payload: unknown, ports: ResultPorts): Reading<ResultFacts> {
  if (!isLine(field(payload, "task_id")))
    return problem("`task_id` is missing or not a one-line string", { field: "task_id" });
  const report = readReport(payload);
  if ("error" in report) return problem(report.error, { field: report.field });
  const { place, disk, findSecrets } = ports;
  const read = readLimits(payload, { place, disk });
  if ("error" in read) return problem(read.error, { field: "assignment" });
  if (read.lockEntries.length === 0)
    return problem("`lock_scope` is empty: give the scope that the task was dispatched with", {
      field: "assignment.lock_scope",
    });
  const assigned = readAssigned(payload, report);
  if ("error" in assigned) return problem(assigned.error, { field: assigned.field });
  return { facts: { report, limits: read.limits, findSecrets, ...assigned } };
}

export const rules: readonly Rule<Reading<ResultFacts>>[] = [
  unreadable("R-PO-001"),
  rule("R-PW-002", (facts) => firstChange(facts, findForbidden)),
  rule("R-PO-002", (facts) => firstChange(facts, findOutside)),
  rule("R-PO-003", findBadWorklog),
  rule("R-PO-004", findLeaks),
  ...acceptanceRules,
];

type Assigned = Pick<ResultFacts, "worklogs" | "acceptance">;

function readAssigned(payload: unknown, report: Report): Assigned | { error: string; field: string } {
  const assignment = field(payload, "assignment");
  const assigned = field(assignment, "worklog_path");
  const path = report.worklogPath ?? assigned;
  if (typeof path !== "string")
    return {
      error: "`worklog_path` is missing from both the result and the assignment",
      field: "worklog_path",
    };
  const size = field(assignment, "worklog_size");
  if (size !== undefined && !(typeof size === "number" && size >= 0))
    return { error: "`worklog_size` is not a number of bytes", field: "assignment.worklog_size" };
  const required = field(assignment, "acceptance_criteria") ?? [];
  if (!isTextList(required))
    return {
      error: "`acceptance_criteria` is not a list of non-blank strings",
      field: "assignment.acceptance_criteria",
    };
  // The file that the assignment names must have grown, even if the result names another file.
  const worklogs = [{ path: typeof assigned === "string" ? assigned : path, bytesBefore: size ?? 0 }];
  if (path !== assigned) worklogs.push({ path, bytesBefore: 0 });
  const acceptance = report.status === "done" ? { required, checks: report.checks } : undefined;
  return { worklogs, acceptance };
}

function firstChange({ report, limits }: ResultFacts, find: typeof findForbidden): Finding | undefined {
  for (const [index, { resource, action }] of report.changes.entries()) {
    const finding = find(targetOf(resource, action, limits), limits);
    if (finding !== undefined)
      return { reason: `change ${index}: ${finding.reason}`, details: { index, ...finding.details } };
  }
  return undefined;
}

function findBadWorklog({ worklogs, limits }: ResultFacts): Finding | undefined {
  for (const { path, bytesBefore } of worklogs) {
    const cause = whyNoWorklog(path, bytesBefore, limits);
    if (cause === undefined) continue;
    return {
      reason: `worklog ${quoted(path)} ${cause}: append to it before submitting the result`,
      details: { worklog_path: path },
    };
  }
  return undefined;
}

function whyNoWorklog(path: string, bytesBefore: number, limits: WriteLimits): string | undefined {
  const [spelled, real] = spellingsOf(path, limits);
  if (spelled === undefined || spelled.where === "invalid") return "is not a valid path";
  if (spelled.where === "outside" || (real !== undefined && real.where !== "inside"))
    return "lies outside the project";
  const kind = limits.disk.kindOf(spelled.absolute);
  if (kind === "absent") return "does not exist";
  if (kind === "folder") return "is a folder";
  const bytes = limits.disk.sizeOf(spelled.absolute);
  if (bytes === 0) return "is empty";
  return bytes > bytesBefore ? undefined : "has not grown since the dispatch";
}

/** Reports the position and the kind of a secret, never the secret itself. */
async function findLeaks({ report, findSecrets }: ResultFacts): Promise<Finding | undefined> {
  const secrets: { index: number; rule: string }[] = [];
  for (const [index, note] of report.notes.entries())
    for (const { rule } of await findSecrets(note)) secrets.push({ index, rule });
  const [first] = secrets;
  if (first === undefined) return undefined;
  return {
    reason: `note ${first.index} looks like it contains a secret (${first.rule}): remove it, and rotate it if it was real`,
    details: { secrets },
  };
}
