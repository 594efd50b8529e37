import { field } from "../../core/points/fields.ts";
import type { Hold } from "../../core/tasks/task.ts";
import { style } from "../style.ts";
import { counted, duration, printable } from "../table.ts";
import { fitted, wrapped } from "./display-width.ts";
import { inOrder } from "./draw-tasks.ts";
import { isTaken, type Question, type ShownTask, shortName, waitsText, whyOf } from "./needs-person.ts";
import { shortNumber, stateWord, sumOf } from "./words.ts";

export type ReportedTask = ShownTask & {
  readonly proof: string | null;
  readonly evidence: readonly unknown[];
};

export interface RunReport {
  readonly session: string;
  readonly outcome: "merged" | "failed" | "waiting" | "running";
  /** True if everything was merged before, and nothing was to do. */
  readonly wasDone: boolean;
  readonly base: string;
  readonly tasks: readonly ReportedTask[];
  readonly decisions: readonly Question[];
  /** Why a task is blocked, as the ledger has it. */
  readonly holds: ReadonlyMap<string, Hold["kind"]>;
  /** What was said of each last. */
  readonly last: ReadonlyMap<string, string>;
  readonly seconds: number;
  readonly walls: Readonly<Record<string, boolean>>;
  /** Why there is no sandbox. */
  readonly missing: string | null;
  /** The command that goes on with this run, and the one that gives the base to others. */
  readonly goOn: string;
  readonly push: string | null;
  /** Where reasons are broken. */
  readonly columns: number;
}

const whyLengthMax = 300;

/** What became of a run, for people; the last line is what to do with it. */
export function runReport(report: RunReport): string {
  const { session, tasks, wasDone, push } = report;
  const lines = wasDone
    ? [
        `${style.bold(session)} is done: ${countedTasks(tasks.length)} merged before, and the plan has not changed; --again starts it anew`,
      ]
    : [headLine(report), ...mergedLines(tasks), ...openLines(report), "", factsLine(report)];
  if (report.missing !== null && !wasDone)
    lines.push(`no sandbox stood around the agents: ${report.missing}`);
  if (report.outcome === "running") lines.push(`stopped, and everything is kept: \`${report.goOn}\` goes on`);
  if (push !== null) lines.push(`${style.dim("to share it:")} ${push}`);
  return lines.map((line) => `${line}\n`).join("");
}

function countedTasks(count: number): string {
  return count === 1 ? "its task was" : `all ${count} tasks were`;
}

function headLine({ session, tasks, base }: RunReport): string {
  const merged = tasks.filter(isMerged).length;
  return `${style.bold(session)}: ${merged} of ${counted(tasks.length, "task")} merged into ${base}`;
}

function isMerged({ state, reverted_by }: ShownTask): boolean {
  return state === "MERGED" && reverted_by === null;
}

function mergedLines(tasks: readonly ReportedTask[]): string[] {
  const merged = inOrder(tasks.filter(isMerged));
  if (merged.length === 0) return [];
  const width = widest(merged);
  return [
    "",
    style.green("merged"),
    ...merged.flatMap((task) => [
      `  ${shortName(task.id).padEnd(width)}  ${printable(task.title ?? "")}`.trimEnd(),
      style.dim(`  ${"".padEnd(width)}  proof: ${proofWords(task)}`),
    ]),
  ];
}

function widest(tasks: readonly ReportedTask[]): number {
  return Math.max(0, ...tasks.map(({ id }) => shortName(id).length));
}

/** The checks that Lockstep itself ran on the merged tree. */
function proofWords({ proof, evidence }: ReportedTask): string {
  const checks = evidence.map((record) => {
    const command = printable(String(field(record, "command") ?? "a check"));
    const failed = (when: "before" | "after") => ![0, undefined].includes(exitOf(field(record, when)));
    if (failed("after")) return `${command} (fails as before)`;
    return failed("before") ? `${command} (failed before)` : command;
  });
  return checks.length === 0 ? (proof ?? "none") : [...new Set(checks)].join("; ");
}

function exitOf(run: unknown): number | undefined {
  const exit = field(run, "exit");
  return typeof exit === "number" ? exit : undefined;
}

function openLines(report: RunReport): string[] {
  const { columns } = report;
  const open = inOrder(report.tasks.filter((task) => !isMerged(task)));
  if (open.length === 0) return [];
  const width = widest(open);
  const indent = `  ${"".padEnd(width)}  `;
  return [
    "",
    style.red("not merged"),
    ...open.flatMap((task) => {
      const { why, commands } = nextFor(task, report);
      // The last line says it for all of them.
      const next = report.outcome === "running" && commands[0] === report.goOn ? [] : commands;
      const [first = "", ...more] = wrapped(why, columns - indent.length);
      const looks = `look: lockstep log ${task.id}; lockstep diff ${task.id}`;
      return [
        `  ${shortName(task.id).padEnd(width)}  ${first}`,
        ...more.map((line) => `${indent}${line}`),
        ...(task.attempts === 0 ? [] : [style.dim(`${indent}${looks}`)]),
        ...(next.length === 0 ? [] : [`${indent}next: ${next.join(" && ")}`]),
      ];
    }),
    ...otherDecisions(report),
  ];
}

/** Decisions about none of the tasks that are left. */
function otherDecisions({ decisions, tasks }: RunReport): string[] {
  const open = new Set(tasks.filter((task) => !isMerged(task)).map(({ id }) => id));
  const others = decisions.filter(({ task }) => !open.has(task));
  return others.flatMap((one) => [`  ${questionText(one)}`, `    ${decideCommand(one)}`]);
}

function questionText({ question, options }: Question): string {
  return `${printable(question)} (${options.join(" or ")})`;
}

/** As it can be typed: with the first answer that there is. */
function decideCommand({ id, options }: Question): string {
  return `lockstep decide ${id} ${options[0] ?? ""}`.trimEnd();
}

/** Why a task is not merged, and what a person types next. */
function nextFor(task: ReportedTask, { decisions, holds, last, goOn }: RunReport) {
  const { id, state } = task;
  const asked = decisions.filter((decision) => decision.task === id);
  const resolve = `lockstep task resolve ${id} --note "…"`;
  const said = (reason: string) => fitted(`${stateWord(state)}: ${reason}`.replace(/: $/, ""), whyLengthMax);
  const why = whyOf(task) || last.get(id) || "";
  if (asked.length > 0)
    return {
      why: said(asked.map(questionText).join("; ")),
      commands: [...asked.map(decideCommand), goOn],
    };
  if (task.reverted_by !== null) return { why: "rolled back", commands: [`lockstep task retry ${id}`, goOn] };
  if (isTaken(task)) return { why: "in your hands", commands: [`lockstep submit ${id}`, goOn] };
  if (state === "ESCALATED" || state === "FAILED") return { why: said(why), commands: [resolve, goOn] };
  if (task.waiting_for.length > 0) return { why: said(waitsText(task)), commands: [] };
  const hold = state === "BLOCKED" ? holds.get(id) : undefined;
  if (hold === "reported" || hold === "stopped")
    return { why: said(why), commands: [`lockstep task retry ${id}`, goOn] };
  if (hold === "deny")
    return {
      why: said(why),
      commands: [`lockstep task escalate ${id} --reason "…"`, resolve, goOn],
    };
  return { why: said(why), commands: [goOn] };
}

function factsLine({ tasks, seconds, walls }: RunReport): string {
  const costs = tasks.flatMap(({ usage }) => usage.cost_usd ?? []);
  const stand = Object.entries(walls).map(([wall, stands]) => `${wall} ${stands ? "✓" : "✗"}`);
  return style.dim(
    [
      duration(Math.round(seconds)),
      `${shortNumber(sumOf(tasks.map(({ usage }) => usage.tokens)))} tokens`,
      ...(costs.length === 0 ? [] : [`${sumOf(costs).toFixed(2)} USD`]),
      `walls: ${stand.join(" ")}`,
    ].join(", "),
  );
}
