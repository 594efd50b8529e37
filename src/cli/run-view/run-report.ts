import { isOfSession } from "../../core/names/task-name.ts";
import { decisionKinds } from "../../core/tasks/decision-kinds.ts";
import { displayWidth, fitted, joined, padded, shortened, wrapped } from "../../core/text/display-width.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import {
  answersTo,
  commandsFor,
  decideCommands,
  type Question,
  questionText,
} from "../../view/needs-person.ts";
import { shortName } from "../../view/task-names.ts";
import { inOrder } from "../../view/task-order.ts";
import { heldUpText, isMerged, isTaken, proofWords, type ShownTask, whyOf } from "../../view/task-words.ts";
import { isolationWords, shortNumber, stateWord, sumOf } from "../../view/words.ts";
import { checkOutput } from "../output/check-output.ts";
import { style } from "../output/style.ts";
import { counted, duration, printable } from "../output/table.ts";
import { lessWords } from "./less-lines.ts";

export type ReportedTask = ShownTask &
  Pick<TaskStatus, "proof" | "evidence" | "details" | "retries"> &
  Partial<Pick<TaskStatus, "weakened" | "unproven_claims" | "unproven_deeds">>;

export interface RunReport {
  readonly session: string;
  /** `running`: another process runs the tasks. */
  readonly outcome: "merged" | "failed" | "waiting" | "running" | "stopped";
  /** True if everything was merged before this run. */
  readonly wasDone: boolean;
  readonly base: string;
  readonly tasks: readonly ReportedTask[];
  readonly decisions: readonly Question[];
  /** The shortest name that identifies a task. */
  nameOf(key: string): string;
  /** The commands for a task of another session that waits for a person. */
  commandsTo(key: string): readonly string[];
  /** The last event of each task. */
  readonly last: ReadonlyMap<string, string>;
  readonly seconds: number;
  /** Which kinds of isolation were on; null if that is not known any more. */
  readonly walls: Readonly<Record<string, boolean>> | null;
  /** Why there is no sandbox. */
  readonly missing: string | null;
  /** Why a person stopped all work, and how it continues; null if it may continue. */
  readonly breaker: string | null;
  /** The command that continues this run. */
  readonly goOn: string;
  /** The process that runs the tasks, if this one only watched and left. */
  readonly left: number | null;
  /** The command that publishes the base. */
  readonly push: string | null;
  /** The width at which reasons are wrapped. */
  readonly columns: number;
}

const whyLengthMax = 300;
/** A name takes at most this fraction of a line. */
const nameShare = 4;
/** From this number on, tasks that wait for the same thing share one line. */
const alikeMin = 4;
/** Output lines of each failed check, if several tasks are reported. */
const outputLinesMax = 12;

/** The report of a run as text; the last line is the next command. */
export function runReport(given: RunReport): string {
  const isHeld = given.breaker !== null && !given.wasDone;
  const report = isHeld ? { ...given, goOn: `lockstep clear && ${given.goOn}` } : given;
  const { session, tasks, wasDone, push } = report;
  const lines = wasDone
    ? [
        `${style.bold(session)} is done: ${allTasks(tasks.length)} already merged, and the plan has not changed; --again starts a new session`,
      ]
    : [
        headLine(report),
        ...(report.breaker === null ? [] : [style.red(report.breaker)]),
        ...mergedLines(report),
        ...openLines(report),
        "",
        factsLine(report),
      ];
  if (report.missing !== null && !wasDone) lines.push(`the agents ran without a sandbox: ${report.missing}`);
  if (isLeft(report)) lines.push(endLine(report));
  if (push !== null) lines.push(`${style.dim("to share it:")} ${push}`);
  return lines.map((line) => `${line}\n`).join("");
}

/** The person left before the end of the run. */
function isLeft({ outcome }: RunReport): boolean {
  return outcome === "running" || outcome === "stopped";
}

function endLine({ left, goOn }: RunReport): string {
  return left === null
    ? `stopped; all work is kept. To continue: \`${goOn}\``
    : `you left the run: process ${left} continues with the tasks; \`${goOn}\` follows it again`;
}

function allTasks(count: number): string {
  return count === 1 ? "its task was" : `all ${count} tasks were`;
}

function headLine({ session, tasks, base }: RunReport): string {
  const merged = tasks.filter(isMerged).length;
  return `${style.bold(session)}: ${merged} of ${counted(tasks.length, "task")} merged into ${base}`;
}

function mergedLines({ tasks, columns }: RunReport): string[] {
  const merged = inOrder(tasks.filter(isMerged));
  if (merged.length === 0) return [];
  const width = nameWidth(merged, columns);
  return ["", style.green("merged"), ...merged.flatMap((task) => mergedTaskLines(task, { width, columns }))];
}

function mergedTaskLines(
  task: ReportedTask,
  { width, columns }: { readonly width: number; readonly columns: number },
): string[] {
  const indent = `  ${"".padEnd(width)}  `;
  const [title = "", ...more] = wrapped(task.title ?? "", columns - indent.length);
  const named = "proof: ";
  const proof = wrapped(proofWords(task), columns - indent.length - named.length);
  return [
    `  ${nameCell(task, width)}  ${title}`.trimEnd(),
    ...more.map((line) => `${indent}${line}`),
    ...proof.map((line, at) => style.dim(`${indent}${at === 0 ? named : " ".repeat(named.length)}${line}`)),
    ...lessWords(task).map((words) => `${indent}${words}`),
  ];
}

/** A long name is cut so that there is room for the text. */
function nameWidth(tasks: readonly ReportedTask[], columns: number): number {
  const widest = tasks.reduce((width, { key }) => Math.max(width, displayWidth(shortName(key))), 0);
  return Math.min(widest, Math.floor(columns / nameShare));
}

function nameCell({ key }: ReportedTask, width: number): string {
  return padded(shortened(shortName(key), width), width);
}

function openLines(report: RunReport): string[] {
  const open = inOrder(report.tasks.filter((task) => !isMerged(task)));
  if (open.length === 0) return [];
  const idle = open.filter((task) => isIdle(task, report));
  const alike = [...Map.groupBy(open.filter(isUnbegun), (task) => heldUpText(task))].filter(
    ([why, tasks]) => why !== "" && tasks.length >= alikeMin,
  );
  const together = new Set([...(idle.length > 1 ? idle : []), ...alike.flatMap(([, tasks]) => tasks)]);
  const told = open.filter((task) => !together.has(task));
  const width = nameWidth(told, report.columns);
  const linesMax = told.length === 1 ? Infinity : outputLinesMax;
  const goOn = isLeft(report) ? "" : `: \`${report.goOn}\``;
  return [
    "",
    style.red("not merged"),
    ...told.flatMap((task) => taskLines(task, report, { width, linesMax })),
    ...alike.flatMap(([why, tasks]) =>
      wrapped(`${tasks.length} pending: each ${why}`, report.columns - 2).map((line) => `  ${line}`),
    ),
    ...(idle.length > 1 ? [`  ${idle.length} pending${goOn}`] : []),
    ...otherDecisions(report),
  ];
}

/** The output of the failed check that holds up a task. */
function outputLines(task: ReportedTask, { nameOf }: RunReport, linesMax: number): readonly string[] {
  const isHeldUp = whyOf(task) !== "";
  return isHeldUp ? checkOutput(task.details, { name: nameOf(task.key), linesMax }) : [];
}

/** The task has not started because it waits for another one. */
function isUnbegun(task: ReportedTask): boolean {
  return task.state === "PENDING" && task.attempts === 0 && waitsForOther(task);
}

/** There is nothing to report except that the task has not started. */
function isIdle({ key, state, attempts, waits }: ReportedTask, { decisions, last }: RunReport) {
  const isAsked = decisions.some(({ task }) => task === key);
  const isHeldUp = waits.some(({ on }) => on !== "slot");
  return state === "PENDING" && attempts === 0 && !isHeldUp && !isAsked && !last.has(key);
}

/** `linesMax`: for the output of its check. */
function taskLines(
  task: ReportedTask,
  report: RunReport,
  { width, linesMax }: { readonly width: number; readonly linesMax: number },
): string[] {
  const { columns, nameOf } = report;
  const { why, commands } = nextFor(task, report);
  const indent = `  ${"".padEnd(width)}  `;
  // The last line of the report has this command.
  const next = isLeft(report) && commands[0] === report.goOn ? [] : commands;
  const [first = "", ...more] = wrapped(why, columns - indent.length);
  const name = nameOf(task.key);
  const listed = (title: string, found: readonly string[], joint: string) =>
    joined(found, { joint, columns: columns - indent.length - title.length }).map(
      (line, at) => `${indent}${at === 0 ? title : " ".repeat(title.length)}${line}`,
    );
  const looks = task.attempts === 0 ? [] : [`lockstep log ${name}`, `lockstep diff ${name}`];
  return [
    `  ${nameCell(task, width)}  ${first}`,
    ...more.map((line) => `${indent}${line}`),
    ...outputLines(task, report, linesMax).map((line) => `${indent}${line}`),
    ...listed("look: ", looks, ";").map(style.dim),
    ...listed("next: ", next, " &&"),
  ];
}

/** Decisions that belong to none of the open tasks. */
function otherDecisions({ decisions, tasks, nameOf }: RunReport): string[] {
  const open = new Set(tasks.filter((task) => !isMerged(task)).map(({ key }) => key));
  const others = decisions.filter(({ task }) => !open.has(task));
  return others.flatMap((one) => [
    `  ${printable(questionText(one, nameOf))}`,
    ...decideCommands(one).map((command) => `    ${command}`),
  ]);
}

/** Why a task is not merged, and the next commands. */
function nextFor(task: ReportedTask, report: RunReport) {
  const { decisions, last, goOn, nameOf } = report;
  const { key, state } = task;
  const name = nameOf(key);
  const asked = decisions.filter((decision) => decision.task === key);
  const said = (reason: string) => fitted(`${stateWord(state)}: ${reason}`.replace(/: $/, ""), whyLengthMax);
  if (asked.length > 0)
    return {
      why: said(
        asked.map((one) => `${questionText(one, nameOf)} (${answersTo(one).join(" or ")})`).join("; "),
      ),
      commands: [...asked.flatMap((one) => stepsFor(one, name)), goOn],
    };
  if (task.reverted_by !== null)
    return { why: "rolled back", commands: [`lockstep task retry ${name}`, goOn] };
  const own = commandsFor(task, name);
  if (isTaken(task)) return { why: "you took it over", commands: [...own, goOn] };
  if (task.details.cancelled === true) return { why: fitted(whyOf(task), whyLengthMax), commands: [] };
  if (state === "FAILED")
    return { why: said(whyOf(task)), commands: [`lockstep task resolve ${name} --note "…"`, goOn] };
  if (waitsForOther(task)) return { why: said(heldUpText(task)), commands: elsewhere(task, report) };
  return { why: said(whyOf(task) || last.get(key) || heldUpText(task)), commands: [...own, goOn] };
}

/** Before weakened tests are accepted, their diff should be read. Other questions are shown with their first answer. */
function stepsFor(one: Question, name: string): readonly string[] {
  return decisionKinds[one.kind].diff === "first"
    ? [`lockstep diff ${name}`, `lockstep decide ${one.id}`]
    : decideCommands(one).slice(0, 1);
}

/** The commands for tasks of other sessions that hold a lock; tasks of this session have their own lines. */
function elsewhere({ waits }: ReportedTask, { session, commandsTo }: RunReport): readonly string[] {
  const others = waits.flatMap((wait) => ("task" in wait ? wait.task : []));
  const foreign = others.filter((key) => !isOfSession(key, session));
  return foreign.length === 0 ? [] : [...foreign.flatMap(commandsTo), "lockstep run"];
}

function waitsForOther({ waits }: ReportedTask): boolean {
  return waits.some((wait) => "task" in wait);
}

function factsLine({ tasks, seconds, walls }: RunReport): string {
  const costs = tasks.flatMap(({ usage }) => usage.cost_usd ?? []);
  return style.dim(
    [
      duration(Math.round(seconds)),
      `${shortNumber(sumOf(tasks.map(({ usage }) => usage.tokens)))} tokens`,
      ...(costs.length === 0 ? [] : [`${sumOf(costs).toFixed(2)} USD`]),
      ...(walls === null ? [] : [`isolation: ${isolationWords(walls)}`]),
    ].join(", "),
  );
}
