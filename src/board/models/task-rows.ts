import type { Group, GroupName, NamedTask, TaskList, TaskRow } from "../../contract/board.ts";
import { isOfSession } from "../../core/names/task-name.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { groupOf, taskGroups, toneOf } from "../../view/task-groups.ts";
import {
  heldUpText,
  isInterrupted,
  isWorkedOn,
  proofWords,
  secondsOf,
  taskWord,
} from "../../view/task-words.ts";
import { fitting, short } from "./bounded.ts";
import { type BoardPlace, type Look, machineName } from "./look.ts";

const rowsMax = 100;
const scopeShown = 2;

export interface TaskQuery {
  readonly session?: string | undefined;
  readonly filter?: string | undefined;
  readonly from: number;
  readonly count: number;
}

/** A part of the list of tasks, and the size of its groups. */
export function taskList(
  place: BoardPlace,
  look: Look,
  { session, filter = "", from, count }: TaskQuery,
): TaskList {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = look.tasks.filter(
    ({ task, group }) =>
      (session === undefined || isOfSession(task.key, session)) &&
      (words.length === 0 || matches(words, textOf(place, look, task, group))),
  );
  const rows = found
    .slice(from, from + Math.min(count, rowsMax))
    .map(({ task, group }) => taskRow(place, look, task, group));
  return { total: found.length, groups: groupsOf(found), from, rows: fitting(rows) };
}

function matches(words: readonly string[], text: string): boolean {
  return words.every((word) => text.includes(word));
}

/** What a filter finds a task by. */
function textOf(place: BoardPlace, look: Look, task: TaskStatus, group: GroupName): string {
  const { key, title, agent, model, scope } = task;
  const waits = taskGroups.find(({ name }) => name === group)?.title;
  const machine = machineOf(place, look, task);
  return [look.names.of(key), key, title, agent, model, machine, taskWord(task), waits, ...scope]
    .join(" ")
    .toLowerCase();
}

function machineOf(place: BoardPlace, look: Look, { attempts, alive }: TaskStatus): string | null {
  return attempts === 0 || alive === null ? null : machineName(place, look, alive.machine);
}

function sinceOf(look: Look, { key, state, started_at: started, created_at: created }: TaskStatus) {
  const merged = state === "MERGED" ? look.mergedAt.get(key) : undefined;
  if (merged !== undefined) return { what: "merged", at: merged } as const;
  return started === null
    ? ({ what: "added", at: created } as const)
    : ({ what: "started", at: started } as const);
}

export function groupsOf(tasks: Look["tasks"]): readonly Group[] {
  const counts = new Map<GroupName, number>();
  for (const { group } of tasks) counts.set(group, (counts.get(group) ?? 0) + 1);
  return taskGroups.flatMap(({ name, title }) => {
    const count = counts.get(name);
    return count === undefined ? [] : [{ name, title, count }];
  });
}

export function taskRow(place: BoardPlace, look: Look, task: TaskStatus, group: GroupName): TaskRow {
  const { config, engine } = place;
  const { key, title, state, agent, model, attempts, usage, scope, alive } = task;
  const { tokens, cost_usd: cost } = config.limits;
  return {
    key,
    name: look.names.of(key),
    title: short(title),
    session: key.includes("/") ? key.slice(0, key.lastIndexOf("/")) : null,
    ...{
      state,
      group,
      agent: agent === null ? null : short(agent, 40),
      model: model === null ? null : short(model, 40),
      attempts,
    },
    word: taskWord(task),
    tone: toneOf(task, group),
    machine: machineOf(place, look, task),
    since: sinceOf(look, task),
    beatAt: alive?.last_heartbeat_at ?? null,
    seconds: secondsOf(task, engine.clock.now().wallMs),
    isRunning: isWorkedOn(task) && alive?.lease !== "over" && !isInterrupted(task),
    tokens: usage.tokens,
    tokensMax: tokens.halt,
    costUsd: usage.cost_usd,
    costMax: cost.halt,
    scope: scope.slice(0, scopeShown).map((path) => short(path, 60)),
    scopeMore: Math.max(0, scope.length - scopeShown),
    why: short(whyText(task, look)),
    proof: state === "MERGED" && task.evidence.length > 0 ? short(proofWords(task), 120) : "",
  };
}

/** With short names for the tasks that it mentions. */
function whyText(task: TaskStatus, { names }: Look): string {
  if (task.reverted_by !== null) return `reverted by ${task.reverted_by.slice(0, 12)}`;
  if (isInterrupted(task)) return "its run ended";
  const others = task.waits.flatMap((wait) => ("task" in wait ? [wait.task] : []));
  return [task.key, ...others].reduce((text, key) => text.replaceAll(key, names.of(key)), heldUpText(task));
}

const noneApproved: ReadonlySet<string> = new Set();

/** A task as a link. */
export function namedTask(look: Look, key: string): NamedTask {
  const task = look.byKey.get(key);
  if (task === undefined) return { key, name: key, word: "unknown", tone: "quiet" };
  return {
    key,
    name: look.names.of(key),
    word: taskWord(task),
    tone: toneOf(task, groupOf(task, noneApproved)),
  };
}
