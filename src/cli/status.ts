import { setTimeout as sleep } from "node:timers/promises";
import type { Status, TaskStatus } from "../engine/read-status.ts";
import { ask } from "./ask.ts";
import { diskText, readDisk } from "./disk.ts";
import { showReading } from "./reading.ts";
import { drawRun } from "./run-view/draw-run.ts";
import { needsPerson } from "./run-view/needs-person.ts";
import type { RunModel } from "./run-view/run-model.ts";
import { Screen } from "./run-view/screen.ts";
import { style } from "./style.ts";
import { counted, duration, printable, table } from "./table.ts";

interface StatusOptions {
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly disk?: boolean;
}

const watchMs = 1000;

export async function statusCommand({ json, watch, disk }: StatusOptions): Promise<number> {
  if (disk === true) return showReading({ json, text: diskText }, async () => readDisk());
  const read = () => ask("status", {});
  if (watch === true && json !== true && process.stdout.isTTY) return watchStatus(read);
  return showReading({ json, text: statusText }, read);
}

/** The same view as of a run, until Ctrl-C. */
async function watchStatus(read: () => ReturnType<typeof ask<"status">>): Promise<number> {
  let ended = false;
  const woken = Promise.withResolvers<void>();
  process.once("SIGINT", () => {
    ended = true;
    woken.resolve();
  });
  using screen = new Screen(process.stdout);
  for (;;) {
    const status = await read();
    if ("allow" in status) {
      screen.close();
      return showReading({ text: statusText }, async () => status);
    }
    const frame = { ...screen.size, now: Date.now(), paint: style };
    screen.draw(isEmpty(status) ? [nothingYet] : drawRun(modelOf(status), frame));
    if (ended) return 0;
    await Promise.race([woken.promise, sleep(watchMs)]);
    if (ended) return 0;
  }
}

function modelOf({ tasks, decisions, walls, breaker }: Status): RunModel {
  return {
    ...{ name: null, tasks, decisions, walls, last: new Map(), sinceMs: null },
    budget: { tokens: null, costUsd: null },
    notice: breaker.mode === "CLEAR" ? null : breakerLine(breaker),
    ...{ selected: null, keys: null },
  };
}

/** What waits for a person first, then everything. */
function statusText(status: Status): string {
  const { breaker, tasks, decisions } = status;
  if (isEmpty(status)) return `${nothingYet}\n`;
  const stopped = breaker.mode === "CLEAR" ? "" : `${breakerLine(breaker)}\n\n`;
  const waiting = needsPerson(decisions, tasks).map(
    ({ name, text, command }) => `  ${name}  ${printable(text)}\n      ${command}\n`,
  );
  const heading = waiting.length === 0 ? "" : `${style.bold("waiting for you")}\n${waiting.join("")}\n`;
  if (tasks.length === 0) return `${stopped}${heading}no tasks yet\n`;
  return `${stopped}${heading}${taskTable(worthShowing(tasks))}\n${summary(tasks)}\n${footer(status)}\n`;
}

const nothingYet = "no tasks yet: `lockstep run` or `lockstep task add` brings the first";

function isEmpty({ tasks, decisions, breaker }: Status): boolean {
  return tasks.length === 0 && decisions.length === 0 && breaker.mode === "CLEAR";
}

function breakerLine({ mode, reason }: Status["breaker"]): string {
  const why = reason === null ? "" : `: ${printable(reason)}`;
  return `${style.red(mode === "PAUSE" ? "paused" : "stopped")}${why}; \`lockstep clear\` lets work go on`;
}

const mergedMax = 20;

/** Everything that is not done, and the last that was: `task list` has them all. */
function worthShowing(tasks: readonly TaskStatus[]): readonly TaskStatus[] {
  const merged = tasks.filter(({ state }) => state === "MERGED");
  const old = new Set(merged.slice(0, -mergedMax));
  return tasks.filter((task) => !old.has(task));
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
