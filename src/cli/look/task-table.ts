import { displayWidth } from "../../core/text/display-width.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { inShownOrder } from "../../view/task-order.ts";
import {
  heldUpText,
  isInterrupted,
  isWorkedOn,
  proofWords,
  secondsOf,
  workedOnAt,
} from "../../view/task-words.ts";
import { duration, table } from "../output/table.ts";

const whyWidthMin = 32;
/** Columns that are left out if no task has anything there. */
const ifAny = ["LEASE", "MACHINE"];

interface Column {
  readonly name: string;
  cell(task: TaskStatus): string;
}

/** One line per task, by state and name. On a narrow terminal the least important columns are left out. */
export function taskTable(tasks: readonly TaskStatus[], nameOf: (key: string) => string): string {
  const now = Date.now();
  const all: readonly Column[] = [
    { name: "TASK", cell: ({ key }) => nameOf(key) },
    { name: "STATE", cell: stateOf },
    { name: "AGENT", cell: ({ agent }) => agent ?? "-" },
    { name: "TRY", cell: ({ attempts }) => String(attempts) },
    { name: "TIME", cell: (task) => timeOf(task, now) },
    { name: "LEASE", cell: leaseWord },
    { name: "MACHINE", cell: (task) => workedOnAt(task) ?? "-" },
    { name: "SCOPE", cell: ({ scope }) => shortScope(scope) },
    { name: "WHY", cell: (task) => reasonOf(task, nameOf) },
  ];
  const rows = inShownOrder(tasks, nameOf);
  const telling = all.filter(
    ({ name, cell }) => !ifAny.includes(name) || rows.some((task) => cell(task) !== "-"),
  );
  const columns = fitting(telling, rows);
  return table(
    columns.map(({ name }) => name),
    rows.map((task) => columns.map(({ cell }) => cell(task))),
  );
}

/** Drops columns until there is room for the reasons. */
function fitting(all: readonly Column[], tasks: readonly TaskStatus[]): readonly Column[] {
  const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
  const widest = ({ name, cell }: Column) =>
    tasks.reduce((width, task) => Math.max(width, displayWidth(cell(task))), name.length);
  const needed = (columns: readonly Column[]) =>
    columns.reduce(
      (sum, column) =>
        sum + 2 + (column.name === "WHY" ? Math.min(whyWidthMin, widest(column)) : widest(column)),
      -2,
    );
  let kept = all;
  for (const dropped of ["LEASE", "MACHINE", "SCOPE", "TRY", "AGENT", "TIME"]) {
    if (needed(kept) <= width) break;
    kept = kept.filter(({ name }) => name !== dropped);
  }
  return kept;
}

export function stateOf({ state, reverted_by }: Pick<TaskStatus, "state" | "reverted_by">): string {
  return reverted_by === null ? state : "ROLLED BACK";
}

function timeOf(task: TaskStatus, now: number): string {
  const seconds = secondsOf(task, now);
  return seconds === null ? "-" : duration(seconds);
}

function leaseWord(task: TaskStatus): string {
  const { alive } = task;
  if (isInterrupted(task)) return "interrupted";
  return alive === null || alive.lease === "over" || !isWorkedOn(task) ? "-" : alive.lease;
}

function shortScope(scope: readonly string[]): string {
  const [first = "-", second, ...more] = scope;
  if (second === undefined) return first;
  return more.length === 0 ? `${first}, ${second}` : `${first}, ${second}, +${more.length}`;
}

/** What holds up the task, else its proof, else its title. */
function reasonOf(task: TaskStatus, nameOf: (key: string) => string): string {
  if (task.reverted_by !== null) return "";
  if (task.state === "MERGED") return task.evidence.length === 0 ? "" : `proof: ${proofWords(task)}`;
  if (isInterrupted(task)) return "its run ended";
  const others = task.waits.flatMap((wait) => ("task" in wait ? [wait.task] : []));
  const why = [task.key, ...others].reduce(
    (text, key) => text.replaceAll(key, nameOf(key)),
    heldUpText(task),
  );
  return why || (task.title ?? "");
}

/** `2 MERGED, 1 ROLLED BACK`. */
export function countedStates(tasks: readonly TaskStatus[]): string {
  const counts = new Map<string, number>();
  for (const task of tasks) counts.set(stateOf(task), (counts.get(stateOf(task)) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
}
