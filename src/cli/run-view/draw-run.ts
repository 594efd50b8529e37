import { counted, duration } from "../table.ts";
import { displayWidth, fitted, padded } from "./display-width.ts";
import { drawTasks, inOrder } from "./draw-tasks.ts";
import { type Need, needsPerson, type ShownTask } from "./needs-person.ts";
import { type Frame, noPaint, type Paint, type RunModel } from "./run-model.ts";
import { countedStates, shortNumber, sumOf } from "./words.ts";

/** From so many lines on there is room for empty ones. */
const roomyRows = 16;
const taskRowsMin = 3;

/** At most `rows` lines of at most `columns` columns: what needs the person, then every task. */
export function drawRun(model: RunModel, frame: Frame): string[] {
  const { columns, rows } = frame;
  const between = rows >= roomyRows ? [""] : [];
  const head = drawHead(model, frame);
  const foot = drawFoot(model, frame);
  const fixed = head.length + between.length + (foot.length === 0 ? 0 : foot.length + between.length);
  const needs = needsPerson(model.decisions, model.tasks);
  const left = rows - fixed;
  const needRows = Math.min(Math.floor(left / 2), left - taskRowsMin - between.length);
  const needed = drawNeeds(needs, { columns, rows: needRows }, frame.paint);
  const above = needed.length === 0 ? [] : [...needed, ...between];
  const tasks = drawTasks(model, { ...frame, rows: left - above.length });
  const lines = [...head, ...between, ...above, ...tasks, ...(foot.length === 0 ? [] : between), ...foot];
  return lines.slice(0, Math.max(1, rows));
}

function drawHead({ name, tasks, walls, sinceMs }: RunModel, { columns, now, paint = noPaint }: Frame) {
  const open = inOrder(tasks.filter(({ state }) => state !== "MERGED"));
  const title = fitted(name ?? counted(tasks.length, "task"), Math.ceil(columns / 2));
  const merged = `${tasks.length - open.length} of ${tasks.length} merged`;
  const told = open.length === 0 ? merged : `${merged}, ${countedStates(open)}`;
  const rest = columns - displayWidth(title) - 2;
  const stand = Object.entries(walls).map(([wall, stands]) => `${wall} ${stands ? "✓" : "✗"}`);
  const facts = [
    ...(sinceMs === null ? [] : [duration(Math.max(0, Math.round((now - sinceMs) / 1000)))]),
    `${shortNumber(sumOf(tasks.map(({ usage }) => usage.tokens)))} tokens`,
    ...costWords(tasks),
    `walls: ${stand.join(" ")}`,
  ];
  return [
    `${paint.bold(title)}${rest < 1 ? "" : `  ${fitted(told, rest)}`}`,
    paint.dim(fitted(facts.join(", "), columns)),
  ];
}

function costWords(tasks: readonly ShownTask[]): readonly string[] {
  const costs = tasks.flatMap(({ usage }) => usage.cost_usd ?? []);
  return costs.length === 0 ? [] : [`${sumOf(costs).toFixed(2)} USD`];
}

function drawFoot({ notice, keys }: RunModel, { columns, rows, paint = noPaint }: Frame): string[] {
  const lines = [
    ...(notice === null ? [] : [fitted(notice, columns)]),
    ...(keys === null || rows < taskRowsMin * 3 ? [] : [paint.dim(fitted(keys, columns))]),
  ];
  return rows < taskRowsMin * 2 ? [] : lines;
}

/** Two lines for each: what it is, and the command that settles it. */
function drawNeeds(
  needs: readonly Need[],
  { columns, rows }: Pick<Frame, "columns" | "rows">,
  paint: Paint = noPaint,
): string[] {
  if (needs.length === 0 || rows < 2) return [];
  const room = Math.floor((rows - 1) / 2);
  const shown = needs.length <= room ? needs : needs.slice(0, Math.floor((rows - 2) / 2));
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  const hidden = needs.length - shown.length;
  return [
    paint.bold(
      fitted(`waiting for you${shown.length === 0 ? `: ${needs.length}, see lockstep status` : ""}`, columns),
    ),
    ...shown.flatMap(({ name, text, command }) => [
      paint.red(fitted(`  ${padded(name, width)}  ${text}`, columns)),
      fitted(`  ${" ".repeat(width)}  ${command}`, columns),
    ]),
    ...(hidden > 0 && shown.length > 0 ? [fitted(`  and ${hidden} more: lockstep status`, columns)] : []),
  ];
}
