import type { Cost, CostLine } from "../../contract/board.ts";
import { addCost } from "../../core/loops/budgets.ts";
import { isOfSession } from "../../core/names/task-name.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { secondsOf } from "../../view/task-words.ts";
import { sumOf } from "../../view/words.ts";
import { fitting, short } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";

const tasksMax = 100;
const linesMax = 30;

/** Tokens, money and time by task, agent and model, and what repeated attempts cost. */
export function cost({ engine }: BoardPlace, look: Look, session: string | undefined): Cost {
  const now = engine.clock.now().wallMs;
  const tasks = look.status.tasks
    .filter(({ key }) => session === undefined || isOfSession(key, session))
    // As the list of tasks shows it: not the time that it waits for a person after its run has ended.
    .map((task) => ({ ...task, elapsed_seconds: secondsOf(task, now) }));
  const lines = tasks.map((task) => ({
    ...lineOf(look.names.of(task.key), task.key, [task]),
    title: short(task.title, 80),
  }));
  const sorted = lines.filter(({ tokens, attempts }) => tokens > 0 || attempts > 0).toSorted(dearest);
  const shown = fitting(sorted.slice(0, tasksMax), 32 * 1024);
  return {
    ...totals(tasks),
    rework: reworkOf(look, tasks),
    agents: grouped(tasks, ({ agent }) => agent ?? "no agent"),
    models: grouped(tasks, ({ model }) => model ?? "not reported"),
    tasks: shown,
    hidden: sorted.length - shown.length,
  };
}

function dearest(one: CostLine, other: CostLine): number {
  return (other.costUsd ?? 0) - (one.costUsd ?? 0) || other.tokens - one.tokens;
}

function totals(tasks: readonly TaskStatus[]) {
  return {
    tokens: sumOf(tasks.map(({ usage }) => usage.tokens)),
    costUsd: tasks.reduce<number | null>((sum, { usage }) => addCost(sum, usage.cost_usd ?? undefined), null),
    seconds: sumOf(tasks.map(({ elapsed_seconds: seconds }) => seconds ?? 0)),
  };
}

function lineOf(name: string, key: string | null, tasks: readonly TaskStatus[]): CostLine {
  const attempts = sumOf(tasks.map((task) => task.attempts));
  return { name: short(name, 80), title: "", key, tasks: tasks.length, attempts, ...totals(tasks) };
}

function grouped(tasks: readonly TaskStatus[], nameOf: (task: TaskStatus) => string): readonly CostLine[] {
  const worked = tasks.filter(({ attempts }) => attempts > 0);
  return [...Map.groupBy(worked, nameOf)]
    .map(([name, own]) => lineOf(name, null, own))
    .toSorted(dearest)
    .slice(0, linesMax);
}

/** The ledger has the tokens of each task's newest attempt: if that is not the first one, it is rework. */
function reworkOf({ survey }: Look, tasks: readonly TaskStatus[]): Cost["rework"] {
  const again = tasks.filter(({ attempts }) => attempts > 1);
  const newest = new Map(survey.attempts.map(({ task, tokens }) => [task, tokens]));
  const spent = again.map(({ key, usage }) => {
    const tokens = Math.min(newest.get(key) ?? 0, usage.tokens);
    const share = usage.tokens === 0 ? 0 : tokens / usage.tokens;
    return { tokens, costUsd: usage.cost_usd === null ? null : usage.cost_usd * share };
  });
  return {
    tasks: again.length,
    attempts: sumOf(again.map(({ attempts }) => attempts - 1)),
    tokens: sumOf(spent.map(({ tokens }) => tokens)),
    costUsd: spent.reduce<number | null>((sum, { costUsd }) => addCost(sum, costUsd ?? undefined), null),
  };
}
