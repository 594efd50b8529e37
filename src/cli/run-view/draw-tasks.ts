import { displayWidth, fitted, padded, shortened } from "../../core/text/display-width.ts";
import { shortName } from "../../view/task-names.ts";
import { inShownOrder } from "../../view/task-order.ts";
import {
  countedTasks,
  heldUpText,
  isInterrupted,
  isMerged,
  isTaken,
  isWorkedOn,
  type ShownTask,
  secondsOf,
  taskWord,
  workedOnAt,
} from "../../view/task-words.ts";
import { shortNumber } from "../../view/words.ts";
import { duration } from "../output/table.ts";
import { type Frame, noPaint, type Paint, type RunModel } from "./run-model.ts";

/** A heading, one line for each task that fits, and the number of tasks that are not shown. */
export function drawTasks(model: RunModel, { columns, rows, now, paint = noPaint }: Frame): string[] {
  const tasks = inShownOrder(model.tasks, model.name === null ? model.nameOf : shortName);
  const room = rows - 1;
  if (room < 1 || tasks.length === 0) return [];
  const isCut = tasks.length > room;
  const count = isCut ? Math.max(1, room - 1) : room;
  const at = tasks.findIndex(({ key }) => key === model.selected);
  const first = Math.max(0, Math.min(at - count + 1, tasks.length - count));
  const shown = tasks.slice(first, first + count);
  const layout = layOut(shown, model, { columns, now });
  const head = paint.bold(fitted(`  ${lineOf(layout, (column) => column.name)}`, columns));
  const lines = shown.map((task) => {
    const isSelected = task.key === model.selected;
    const line = lineOf(
      layout,
      (column) => column.cell(task),
      isSelected ? undefined : colourOf(task, paint),
    );
    return isSelected ? paint.bold(`› ${line}`) : `  ${line}`;
  });
  const hidden = tasks.filter((task) => !shown.includes(task));
  return [
    head,
    ...lines,
    ...(isCut && room > 1
      ? [paint.dim(fitted(`  and ${hidden.length} more: ${countedTasks(hidden)}`, columns))]
      : []),
  ];
}

interface Column {
  readonly name: string;
  readonly width: number;
  readonly right?: true;
  cell(task: ShownTask): string;
}

const gap = "  ";
const lastWidthMin = 16;

/** The columns that fit; the last one takes what is left. */
function layOut(
  tasks: readonly ShownTask[],
  model: RunModel,
  { columns, now }: Pick<Frame, "columns" | "now">,
): readonly Column[] {
  const widest = (name: string, cell: Column["cell"], max: number) =>
    Math.min(max, Math.max(name.length, ...tasks.map((task) => displayWidth(cell(task)))));
  const column = (name: string, max: number, cell: Column["cell"], right?: true): Column => ({
    ...{ name, cell, width: widest(name, cell, max) },
    ...(right === undefined ? {} : { right }),
  });
  const { budget, name, nameOf } = model;
  // The session's name is in the title, so tasks are shown by their ids.
  const called = (key: string) => (name === null ? nameOf(key) : shortName(key));
  const tokens = ({ usage, attempts }: ShownTask) =>
    attempts === 0 ? "-" : against(shortNumber(usage.tokens), budget.tokens, shortNumber);
  const cost = ({ usage: { cost_usd: usd } }: ShownTask) =>
    usd === null ? "-" : against(usd.toFixed(2), budget.costUsd, (value) => value.toFixed(2));
  const hasCost = tasks.some(({ usage }) => usage.cost_usd !== null);
  const hasMachine = tasks.some((task) => workedOnAt(task) !== undefined);
  const always = [
    column("TASK", Math.max(1, Math.min(name === null ? 32 : 16, columns - 2)), ({ key }) => called(key)),
    column("STATE", 11, taskWord),
    column("AGENT", 10, ({ agent }) => agent ?? "-"),
    column("TIME", 7, (task) => timeOf(task, now), true),
    column("TOKENS", 11, tokens, true),
    ...(hasCost ? [column("COST", 11, cost, true)] : []),
    ...(hasMachine ? [column("MACHINE", 12, (task) => workedOnAt(task) ?? "-")] : []),
  ];
  const kept = [...always];
  for (const dropped of ["MACHINE", "COST", "TOKENS", "AGENT", "TIME", "STATE"]) {
    if (columns - widthOf(kept) >= (dropped === "STATE" ? 0 : lastWidthMin)) break;
    const found = kept.findIndex(({ name }) => name === dropped);
    if (found !== -1) kept.splice(found, 1);
  }
  const width = Math.max(0, columns - widthOf(kept));
  return [...kept, { name: "LAST", width, cell: (task) => lastOf(task, model.last) }];
}

/** Includes the mark in front and the gap after each column. */
function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width + gap.length, gap.length);
}

function lineOf(
  columns: readonly Column[],
  text: (column: Column) => string,
  paintState: (text: string) => string = (same) => same,
): string {
  return columns
    .map((column, at) => {
      const { width } = column;
      if (at === columns.length - 1) return fitted(text(column), width);
      const cell = padded(column.name === "TASK" ? shortened(text(column), width) : text(column), width);
      const aligned = column.right === undefined ? cell : fitted(text(column), width).padStart(width);
      return column.name === "STATE" ? paintState(aligned) : aligned;
    })
    .join(gap)
    .trimEnd();
}

function against(value: string, max: number | null, text: (max: number) => string): string {
  return max === null ? value : `${value}/${text(max)}`;
}

function timeOf(task: ShownTask, now: number): string {
  const seconds = secondsOf(task, now);
  return seconds === null ? "-" : duration(seconds);
}

function lastOf(task: ShownTask, last: ReadonlyMap<string, string>): string {
  const title = task.title ?? "";
  if (task.state === "MERGED") return title;
  if (isTaken(task)) return "you took it over";
  if (isInterrupted(task)) return "its run ended";
  const isAtWork = isWorkedOn(task) && task.waits.length === 0;
  const at = isAtWork ? last.get(task.key) : undefined;
  return at ?? (heldUpText(task) || title);
}

function colourOf(task: ShownTask, { green, red }: Paint) {
  const { state } = task;
  if (isMerged(task)) return green;
  return ["ESCALATED", "BLOCKED", "FAILED"].includes(state) ? red : undefined;
}
