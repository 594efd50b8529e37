import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type AuditLine, type Outcome, readAudit } from "./audit.ts";
import type { OrchestratorFolders } from "./folders.ts";
import type { OrchestratorState } from "./state.ts";
import { writeWhole } from "./state-file.ts";

export interface ComplianceReport {
  readonly session_id: string;
  readonly session_start: string;
  readonly session_end: string;
  readonly agent_role: OrchestratorState["agent_role"];
  /** Percent, rounded. */
  readonly compliance_score: number;
  readonly total_tool_calls: number;
  readonly violations: Readonly<Record<Outcome, number>>;
  readonly violation_breakdown: readonly Breakdown[];
  readonly recommendations: readonly string[];
}

interface Breakdown {
  readonly type: string;
  readonly count: number;
  readonly blocked?: true;
  readonly warned?: true;
}

export const passingScore = 80;

/** A call that ran but was not allowed counts as a fifth of a correct one. No calls give the full score. */
const warnedWeight = 0.2;

export function scoreOf({ allowed, warned, blocked }: Readonly<Record<Outcome, number>>): number {
  const total = allowed + warned + blocked;
  return total === 0 ? 100 : Math.round((100 * (allowed + warnedWeight * warned)) / total);
}

export function complianceReport(
  lines: readonly AuditLine[],
  facts: Pick<ComplianceReport, "session_id" | "session_start" | "session_end" | "agent_role">,
): ComplianceReport {
  const violations = { blocked: 0, warned: 0, allowed: 0 };
  for (const { outcome } of lines) violations[outcome] += 1;
  return {
    session_id: facts.session_id,
    session_start: facts.session_start,
    session_end: facts.session_end,
    agent_role: facts.agent_role,
    compliance_score: scoreOf(violations),
    total_tool_calls: lines.length,
    violations,
    violation_breakdown: breakdownOf(lines),
    recommendations: recommendationsFor(lines),
  };
}

/** The counts come from the audit log, because the state keeps only the newest violations. */
export function reportOf(
  folders: OrchestratorFolders,
  state: OrchestratorState,
  now: Date,
): ComplianceReport {
  const id = state.session_id;
  const passes = (line: AuditLine) => line.session_id === id && line.agent_role === "orchestrator";
  return complianceReport(
    readAudit(folders, JSON.stringify(id), { passes: (line) => passes(line) && isCall(line) }),
    {
      session_id: id,
      session_start: state.created_at,
      session_end: now.toISOString(),
      agent_role: state.agent_role,
    },
  );
}

/** The report on the agents of one Lockstep session. */
export function sessionReport(
  folders: OrchestratorFolders,
  session: string,
  now: Date,
): ComplianceReport | undefined {
  const prefix = `${session}/`;
  const passes = (line: AuditLine) => line.task?.startsWith(prefix) === true && isCall(line);
  const lines = readAudit(folders, JSON.stringify(prefix).slice(0, -1), { passes });
  const [first] = lines;
  if (first === undefined) return undefined;
  return complianceReport(lines, {
    session_id: session,
    session_start: first.timestamp,
    session_end: lines.at(-1)?.timestamp ?? now.toISOString(),
    agent_role: "subagent",
  });
}

export function writeReport(folders: OrchestratorFolders, report: ComplianceReport): string {
  folders.open("reports");
  const file = reportFile(folders, report.session_id);
  writeWhole(file, report);
  return file;
}

/** The report of a session that has ended, if it exists. */
export function writtenReport(folders: OrchestratorFolders, id: string): ComplianceReport | undefined {
  try {
    return JSON.parse(readFileSync(reportFile(folders, id), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The report of the session that ended last. */
export function newestReport(folders: OrchestratorFolders): ComplianceReport | undefined {
  return newestReports(folders, 1)[0];
}

/** The reports of the sessions that ended last, newest first. */
export function newestReports(folders: OrchestratorFolders, max: number): readonly ComplianceReport[] {
  if (!existsSync(folders.reports)) return [];
  return readdirSync(folders.reports)
    .flatMap((name) => /^orchestrator-compliance-(sess_[\w-]+)\.json$/.exec(name)?.[1] ?? [])
    .map((id) => ({ id, ms: statSync(reportFile(folders, id)).mtimeMs }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, max)
    .flatMap(({ id }) => writtenReport(folders, id) ?? []);
}

function reportFile({ reports }: OrchestratorFolders, id: string): string {
  return join(reports, `orchestrator-compliance-${id}.json`);
}

function isCall({ outcome }: AuditLine): boolean {
  return outcome === "allowed" || outcome === "warned" || outcome === "blocked";
}

function breakdownOf(lines: readonly AuditLine[]): Breakdown[] {
  const counts = new Map<string, { type: string; outcome: Outcome; count: number }>();
  for (const { violation, outcome } of lines) {
    if (violation === null || outcome === "allowed") continue;
    const key = `${violation.type} ${outcome}`;
    const before = counts.get(key)?.count ?? 0;
    counts.set(key, { type: violation.type, outcome, count: before + 1 });
  }
  return [...counts.values()].map(({ type, outcome, count }) =>
    outcome === "blocked" ? { type, count, blocked: true } : { type, count, warned: true },
  );
}

const advice: readonly { readonly text: string; readonly fits: (type: string, detail: string) => boolean }[] =
  [
    {
      text: "Consider spawning analyst for file analysis tasks",
      fits: (type) => /^(?:READ_LIMIT_EXCEEDED|DIRECT_GREP|DIRECT_GLOB)$/.test(type),
    },
    {
      text: "Use Task tool to delegate git operations to developer",
      fits: (type, detail) => type === "BASH_DANGEROUS_COMMAND" && /^git\b/.test(detail),
    },
    {
      text: "Use Task tool to delegate rm, scripts and validation commands to developer or qa",
      fits: (type, detail) => type === "BASH_DANGEROUS_COMMAND" && !/^git\b/.test(detail),
    },
    {
      text: "Use Task tool to delegate changes of files to developer",
      fits: (type) => /^(?:DIRECT_WRITE|DIRECT_EDIT|BASH_DIRECT_WRITE)$/.test(type),
    },
    {
      text: "Spell commands out, or delegate them to developer: commands that cannot be analysed are refused",
      fits: (type) => type === "BASH_UNKNOWN_COMMAND",
    },
    {
      text: "Ask for more scope with `lockstep widen` where a task needs it",
      fits: (type) => type === "R-PW-001",
    },
  ];

function recommendationsFor(lines: readonly AuditLine[]): string[] {
  const violations = lines.flatMap(({ violation }) => (violation === null ? [] : [violation]));
  return advice
    .filter(({ fits }) => violations.some(({ type, detail }) => fits(type, detail)))
    .map(({ text }) => text);
}
