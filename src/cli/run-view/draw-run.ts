import { displayWidth, fitted, joined, padded, wrappedTo } from "../../core/text/display-width.ts";
import { type Need, needsPerson } from "../../view/needs-person.ts";
import { inOrder } from "../../view/task-order.ts";
import { countedTasks, isMerged, type ShownTask, taskWord } from "../../view/task-words.ts";
import { isolationWords, shortNumber, sumOf } from "../../view/words.ts";
import { counted, duration } from "../output/table.ts";
import { drawTasks } from "./draw-tasks.ts";
import { type Frame, noPaint, type Paint, type RunModel } from "./run-model.ts";

/** From this height on there are empty lines between the parts, and texts may take two lines. */
const roomyRows = 16;
const taskRowsMin = 3;

/** At most `rows` lines of at most `columns` columns: first what waits for the person, then every task. */
export function drawRun(model: RunModel, frame: Frame): string[] {
  const { columns, rows } = frame;
  const between = rows >= roomyRows ? [""] : [];
  const head = drawHead(model, frame);
  const foot = drawFoot(model, frame);
  const fixed = head.length + between.length + (foot.length === 0 ? 0 : foot.length + between.length);
  const needs = needsPerson(model.decisions, model.tasks, model.nameOf);
  const left = rows - fixed;
  const needRows = Math.min(Math.floor(left / 2), left - taskRowsMin - between.length);
  const needed = drawNeeds(needs, { columns, rows: needRows }, frame.paint);
  const above = needed.length === 0 ? [] : [...needed, ...between];
  const tasks = drawTasks(model, { ...frame, rows: left - above.length });
  const lines = [...head, ...between, ...above, ...tasks, ...(foot.length === 0 ? [] : between), ...foot];
  return lines.slice(0, Math.max(1, rows));
}

function drawHead(model: RunModel, { columns, rows, now, paint = noPaint }: Frame): string[] {
  const { name, tasks, walls, sinceMs, remark, board, machines } = model;
  const title = fitted(name ?? counted(tasks.length, "task"), Math.ceil(columns / 2));
  const rest = columns - displayWidth(title) - 2;
  const [first = "", ...more] = countLines(tasks, { rest, columns, isRoomy: rows >= roomyRows });
  const facts = [
    ...(sinceMs === null ? [] : [duration(Math.max(0, Math.round((now - sinceMs) / 1000)))]),
    `${shortNumber(sumOf(tasks.map(({ usage }) => usage.tokens)))} tokens`,
    ...costWords(tasks),
    ...(walls === null ? [] : [`isolation: ${isolationWords(walls)}`]),
  ];
  const line = facts.join(", ");
  const address = board === undefined ? "" : `board: ${board}`;
  const hasRoom = displayWidth(`${line}, ${address}`) <= columns;
  const factLines = address === "" ? [line] : hasRoom ? [`${line}, ${address}`] : [line, address];
  return [
    `${paint.bold(title)}${rest < 1 || first === "" ? "" : `  ${fitted(first, rest)}`}`,
    ...more.map((line) => fitted(line, columns)),
    ...[...factLines, ...(machines === undefined ? [] : [machines])].map((one) =>
      paint.dim(fitted(one, columns)),
    ),
    ...(remark === null ? [] : [paint.bold(fitted(remark, columns))]),
  ];
}

/** The progress, next to the title; if there is no room, in shorter words or on a line of its own. */
function countLines(
  tasks: readonly ShownTask[],
  { rest, columns, isRoomy }: { readonly rest: number; readonly columns: number; readonly isRoomy: boolean },
): readonly string[] {
  if (tasks.length === 0) return [];
  const open = inOrder(tasks.filter((task) => !isMerged(task)));
  const merged = `${tasks.length - open.length} of ${tasks.length} merged`;
  if (open.length === 0) return [merged];
  const long = `${merged}, ${countedTasks(open)}`;
  if (displayWidth(long) <= rest) return [long];
  const counts = countedTasks(open, shortWord);
  const short = `${tasks.length - open.length}/${tasks.length} merged, ${counts}`;
  if (displayWidth(short) <= rest || !isRoomy) return [short];
  const words = [countedTasks(open), counts].find((line) => displayWidth(line) <= columns) ?? counts;
  return [merged, words];
}

const shortWords: Readonly<Record<string, string>> = { "in progress": "running", "in review": "review" };

function shortWord(task: Parameters<typeof taskWord>[0]): string {
  return shortWords[taskWord(task)] ?? taskWord(task);
}

function costWords(tasks: readonly ShownTask[]): readonly string[] {
  const costs = tasks.flatMap(({ usage }) => usage.cost_usd ?? []);
  return costs.length === 0 ? [] : [`${sumOf(costs).toFixed(2)} USD`];
}

function drawFoot({ notice, keys }: RunModel, { columns, rows, paint = noPaint }: Frame): string[] {
  const linesMax = rows >= roomyRows ? 2 : 1;
  const keyLines = keys === null || rows < taskRowsMin * 3 ? [] : joined(keys, { joint: " ", columns });
  const lines = [
    ...(notice === null ? [] : wrappedTo(notice, columns, linesMax)),
    ...keyLines.slice(0, linesMax).map((line) => paint.dim(fitted(line, columns))),
  ];
  return rows < taskRowsMin * 2 ? [] : lines;
}

/** Each open question or held-up task in at most two lines, with the commands that resolve it. */
function drawNeeds(
  needs: readonly Need[],
  { columns, rows }: Pick<Frame, "columns" | "rows">,
  paint: Paint = noPaint,
): string[] {
  if (needs.length === 0 || rows < 2) return [];
  const width = Math.min(Math.ceil(columns / 2), Math.max(0, ...needs.map(({ name }) => displayWidth(name))));
  const indent = " ".repeat(width + 4);
  const drawn = needs.map(({ name, text, commands }) => {
    const [first = "", ...more] = wrappedTo(text, Math.max(1, columns - indent.length), 2);
    return [
      ...[`  ${padded(name, width)}  ${first}`, ...more.map((line) => `${indent}${line}`)].map((line) =>
        paint.red(fitted(line, columns)),
      ),
      ...commands.map((command) => fitted(`${indent}${command}`, columns)),
    ];
  });
  const shown = fitting(drawn, rows - 1);
  const hidden = needs.length - shown.length;
  const title = `waiting for you${shown.length === 0 ? `: ${needs.length}, see lockstep status` : ""}`;
  return [
    paint.bold(fitted(title, columns)),
    ...shown.flat(),
    ...(hidden > 0 && shown.length > 0 ? [fitted(`  and ${hidden} more: lockstep status`, columns)] : []),
  ];
}

/** The first blocks that fit as a whole; one line is kept for the count of the others. */
function fitting(blocks: readonly (readonly string[])[], rows: number): readonly (readonly string[])[] {
  const heightOf = (count: number) => sumOf(blocks.slice(0, count).map((lines) => lines.length));
  if (heightOf(blocks.length) <= rows) return blocks;
  let count = 0;
  while (heightOf(count + 1) <= rows - 1) count += 1;
  return blocks.slice(0, count);
}
