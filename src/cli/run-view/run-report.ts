import type { Hold } from "../../core/tasks/task.ts";
import { displayWidth, fitted, wrapped } from "../../core/text/display-width.ts";
import type { TaskStatus } from "../../engine/read-status.ts";
import { checkOutput } from "../check-output.ts";
import { style } from "../style.ts";
import { counted, duration, printable } from "../table.ts";
import { shortName } from "../task-names.ts";
import { inOrder } from "./draw-tasks.ts";
import { lessWords } from "./less-lines.ts";
import { decideCommands, type Question, questionText } from "./needs-person.ts";
import { isMerged, isTaken, proofWords, type ShownTask, waitsText, whyOf } from "./task-words.ts";
import { shortNumber, stateWord, sumOf, wallWords } from "./words.ts";

export type ReportedTask = ShownTask &
  Pick<TaskStatus, "proof" | "evidence" | "details" | "retries"> &
  Partial<Pick<TaskStatus, "weakened" | "unproven_claims">>;

export interface RunReport {
  readonly session: string;
  readonly outcome: "merged" | "failed" | "waiting" | "running";
  /** True if everything was merged before, and nothing was to do. */
  readonly wasDone: boolean;
  readonly base: string;
  readonly tasks: readonly ReportedTask[];
  readonly decisions: readonly Question[];
  /** The shortest name by which a person can call a task. */
  nameOf(key: string): string;
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
  /** The process that does the tasks, where this one only watched and left. */
  readonly left: number | null;
  readonly push: string | null;
  /** Where reasons are broken. */
  readonly columns: number;
}

const whyLengthMax = 300;
/** Of each failed check, where several tasks are told of. */
const outputLinesMax = 12;

/** What became of a run, for people; the last line is what to do with it. */
export function runReport(report: RunReport): string {
  const { session, tasks, wasDone, push } = report;
  const lines = wasDone
    ? [
        `${style.bold(session)} is done: ${allTasks(tasks.length)} merged before, and the plan has not changed; --again starts it anew`,
      ]
    : [headLine(report), ...mergedLines(tasks), ...openLines(report), "", factsLine(report)];
  if (report.missing !== null && !wasDone)
    lines.push(`no sandbox stood around the agents: ${report.missing}`);
  if (report.outcome === "running") lines.push(endLine(report));
  if (push !== null) lines.push(`${style.dim("to share it:")} ${push}`);
  return lines.map((line) => `${line}\n`).join("");
}

function endLine({ left, goOn }: RunReport): string {
  return left === null
    ? `stopped, and everything is kept: \`${goOn}\` goes on`
    : `left: process ${left} goes on with the tasks; \`${goOn}\` watches them again`;
}

function allTasks(count: number): string {
  return count === 1 ? "its task was" : `all ${count} tasks were`;
}

function headLine({ session, tasks, base }: RunReport): string {
  const merged = tasks.filter(isMerged).length;
  return `${style.bold(session)}: ${merged} of ${counted(tasks.length, "task")} merged into ${base}`;
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
      style.dim(`  ${"".padEnd(width)}  proof: ${printable(proofWords(task))}`),
      ...lessWords(task).map((words) => `  ${"".padEnd(width)}  ${words}`),
    ]),
  ];
}

function widest(tasks: readonly ReportedTask[]): number {
  return Math.max(0, ...tasks.map(({ id }) => shortName(id).length));
}

function openLines(report: RunReport): string[] {
  const open = inOrder(report.tasks.filter((task) => !isMerged(task)));
  if (open.length === 0) return [];
  const idle = open.filter((task) => isIdle(task, report));
  const told = idle.length > 1 ? open.filter((task) => !idle.includes(task)) : open;
  const width = widest(told);
  const linesMax = told.length === 1 ? Infinity : outputLinesMax;
  const goOn = report.outcome === "running" ? "" : `: \`${report.goOn}\``;
  return [
    "",
    style.red("not merged"),
    ...told.flatMap((task) => taskLines(task, report, { width, linesMax })),
    ...(idle.length > 1 ? [`  ${idle.length} pending${goOn}`] : []),
    ...otherDecisions(report),
  ];
}

/** What the check printed that holds a task up. */
function outputLines(task: ReportedTask, { nameOf }: RunReport, linesMax: number): readonly string[] {
  const isHeldUp = whyOf(task) !== "";
  return isHeldUp ? checkOutput(task.details, { name: nameOf(task.id), linesMax }) : [];
}

/** Nothing is to be said of it but that it has not begun. */
function isIdle({ id, state, attempts, waiting_for: others }: ReportedTask, { decisions, last }: RunReport) {
  const isAsked = decisions.some(({ task }) => task === id);
  return state === "PENDING" && attempts === 0 && others.length === 0 && !isAsked && !last.has(id);
}

/** `linesMax`: of what its check printed. */
function taskLines(
  task: ReportedTask,
  report: RunReport,
  { width, linesMax }: { readonly width: number; readonly linesMax: number },
): string[] {
  const { columns, nameOf } = report;
  const { why, commands } = nextFor(task, report);
  const indent = `  ${"".padEnd(width)}  `;
  // The last line says it for all of them.
  const next = report.outcome === "running" && commands[0] === report.goOn ? [] : commands;
  const [first = "", ...more] = wrapped(why, columns - indent.length);
  const name = nameOf(task.id);
  const listed = (title: string, found: readonly string[], joint: string) =>
    joined(found, { joint, columns: columns - indent.length - title.length }).map(
      (line, at) => `${indent}${at === 0 ? title : " ".repeat(title.length)}${line}`,
    );
  const looks = task.attempts === 0 ? [] : [`lockstep log ${name}`, `lockstep diff ${name}`];
  return [
    `  ${shortName(task.id).padEnd(width)}  ${first}`,
    ...more.map((line) => `${indent}${line}`),
    ...outputLines(task, report, linesMax).map((line) => `${indent}${line}`),
    ...listed("look: ", looks, ";").map(style.dim),
    ...listed("next: ", next, " &&"),
  ];
}

/** Broken only between commands, so that each can be copied whole. */
function joined(
  commands: readonly string[],
  { joint, columns }: { readonly joint: string; readonly columns: number },
): string[] {
  const lines: string[] = [];
  for (const [at, command] of commands.entries()) {
    const text = at === commands.length - 1 ? command : `${command}${joint}`;
    const longer = `${lines.at(-1)} ${text}`;
    if (lines.length === 0 || displayWidth(longer) > columns) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Decisions about none of the tasks that are left. */
function otherDecisions({ decisions, tasks, nameOf }: RunReport): string[] {
  const open = new Set(tasks.filter((task) => !isMerged(task)).map(({ id }) => id));
  const others = decisions.filter(({ task }) => !open.has(task));
  return others.flatMap((one) => [
    `  ${printable(questionText(one, nameOf))}`,
    ...decideCommands(one).map((command) => `    ${command}`),
  ]);
}

/** Why a task is not merged, and what a person types next. */
function nextFor(task: ReportedTask, { decisions, holds, last, goOn, nameOf }: RunReport) {
  const { id, state } = task;
  const name = nameOf(id);
  const asked = decisions.filter((decision) => decision.task === id);
  const resolve = `lockstep task resolve ${name} --note "…"`;
  const said = (reason: string) => fitted(`${stateWord(state)}: ${reason}`.replace(/: $/, ""), whyLengthMax);
  const why = whyOf(task) || last.get(id) || "";
  if (asked.length > 0)
    return {
      why: said(asked.map((one) => `${questionText(one, nameOf)} (${one.options.join(" or ")})`).join("; ")),
      // With the first answer that there is.
      commands: [...asked.flatMap((one) => decideCommands(one).slice(0, 1)), goOn],
    };
  if (task.reverted_by !== null)
    return { why: "rolled back", commands: [`lockstep task retry ${name}`, goOn] };
  if (isTaken(task)) return { why: "in your hands", commands: [`lockstep submit ${name}`, goOn] };
  if (task.details.cancelled === true) return { why: fitted(why, whyLengthMax), commands: [] };
  if (state === "ESCALATED" || state === "FAILED") return { why: said(why), commands: [resolve, goOn] };
  if (task.waiting_for.length > 0) return { why: said(waitsText(task)), commands: [] };
  const hold = state === "BLOCKED" ? holds.get(id) : undefined;
  if (hold === "reported" || hold === "stopped")
    return { why: said(why), commands: [`lockstep task retry ${name}`, goOn] };
  // The first time a run tries it again by itself.
  if (hold === "deny" && task.retries.block_retries > 0)
    return {
      why: said(why),
      commands: [`lockstep task escalate ${name} --reason "…"`, resolve, goOn],
    };
  return { why: said(why), commands: [goOn] };
}

function factsLine({ tasks, seconds, walls }: RunReport): string {
  const costs = tasks.flatMap(({ usage }) => usage.cost_usd ?? []);
  return style.dim(
    [
      duration(Math.round(seconds)),
      `${shortNumber(sumOf(tasks.map(({ usage }) => usage.tokens)))} tokens`,
      ...(costs.length === 0 ? [] : [`${sumOf(costs).toFixed(2)} USD`]),
      `walls: ${wallWords(walls)}`,
    ].join(", "),
  );
}
