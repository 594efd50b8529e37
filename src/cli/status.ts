import type { Status, TaskStatus } from "../engine/read-status.ts";
import { ask } from "./ask.ts";
import { diskText, readDisk } from "./disk.ts";
import { showReading } from "./reading.ts";
import { style } from "./style.ts";
import { counted, duration, printable, table } from "./table.ts";

interface StatusOptions {
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly disk?: boolean;
}

const watchMs = 1000;

export async function statusCommand({ json, watch, disk }: StatusOptions): Promise<number> {
  const show = () => showReading({ json, text: statusText }, () => ask("status", {}));
  if (disk === true) return showReading({ json, text: diskText }, async () => readDisk());
  if (watch !== true || !process.stdout.isTTY) return show();
  for (;;) {
    process.stdout.write("\u001b[H\u001b[2J");
    const exit = await show();
    if (exit !== 0) return exit;
    await new Promise((resolve) => setTimeout(resolve, watchMs));
  }
}

/** What waits for a person first, then everything. */
function statusText(status: Status): string {
  const { breaker, tasks, decisions } = status;
  if (tasks.length === 0 && decisions.length === 0 && breaker.mode === "CLEAR")
    return "no tasks yet: `lockstep task add` or `lockstep dispatch` brings the first\n";
  const stopped =
    breaker.mode === "CLEAR"
      ? ""
      : `${style.red(breaker.mode === "PAUSE" ? "paused" : "stopped")}${breaker.reason === null ? "" : `: ${printable(breaker.reason)}`}; \`lockstep clear\` lets work go on\n\n`;
  const waiting = waitingLines(status);
  const heading = waiting.length === 0 ? "" : `${style.bold("waiting for you")}\n${waiting.join("")}\n`;
  if (tasks.length === 0) return `${stopped}${heading}no tasks yet\n`;
  return `${stopped}${heading}${taskTable(worthShowing(tasks))}\n${summary(tasks)}\n${footer(status)}\n`;
}

const mergedMax = 20;

/** Everything that is not done, and the last that was: `task list` has them all. */
function worthShowing(tasks: readonly TaskStatus[]): readonly TaskStatus[] {
  const merged = tasks.filter(({ state }) => state === "MERGED");
  const old = new Set(merged.slice(0, -mergedMax));
  return tasks.filter((task) => !old.has(task));
}

function waitingLines({ decisions, tasks }: Status): string[] {
  const asked = decisions.map(
    ({ id, question }) => `  ${id}  ${printable(question)}\n      lockstep decide ${id} approved|refused\n`,
  );
  const escalated = tasks
    .filter(({ state }) => state === "ESCALATED")
    .map(
      ({ id, code, reason }) =>
        `  ${id}  ${printable([code, reason].filter(Boolean).join(" "))}\n      lockstep task resolve ${id} --note TEXT\n`,
    );
  return [...asked, ...escalated];
}

export function taskTable(tasks: readonly TaskStatus[]): string {
  return table(
    ["TASK", "STATE", "AGENT", "TRY", "TIME", "LEASE", "SCOPE", "WHY"],
    tasks
      .toSorted(byName)
      .map((task) => [
        task.id,
        task.reverted_by === null ? task.state : "ROLLED BACK",
        task.agent ?? "-",
        String(task.attempts),
        task.elapsed_seconds === null ? "-" : duration(task.elapsed_seconds),
        leaseWord(task),
        shortScope(task.scope),
        whyOf(task),
      ]),
  );
}

/** T-2 before T-10. */
function byName(one: TaskStatus, other: TaskStatus): number {
  return one.id.localeCompare(other.id, "en", { numeric: true });
}

function leaseWord({ alive }: TaskStatus): string {
  return alive === null || alive.lease === "over" ? "-" : alive.lease;
}

function shortScope(scope: readonly string[]): string {
  const [first = "-", second, ...more] = scope;
  if (second === undefined) return first;
  return more.length === 0 ? `${first}, ${second}` : `${first}, ${second}, +${more.length}`;
}

function whyOf({ code, reason, waiting_for, title }: TaskStatus): string {
  const why = [code, reason].filter(Boolean).join(" ");
  if (why !== "") return why;
  return waiting_for.length > 0 ? `waits for ${waiting_for.join(", ")}` : (title ?? "");
}

/** Who holds locks, what it cost as far as that is known, and which walls stand. */
function footer({ tasks, cost_usd, walls }: Status): string {
  const holders = tasks.filter(({ alive }) => alive !== null && alive.lease !== "over").length;
  const cost = cost_usd === null ? "" : `, ${cost_usd} USD`;
  const stand = Object.entries(walls).map(([name, stands]) => `${name} ${stands ? "✓" : "✗"}`);
  return style.dim(`${counted(holders, "task")} with locks${cost}; walls: ${stand.join(" ")}`);
}

function summary(tasks: readonly TaskStatus[]): string {
  const counts = new Map<string, number>();
  for (const { state } of tasks) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
}
