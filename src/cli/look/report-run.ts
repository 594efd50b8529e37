import { agentOfKey, idOfKey, isOfSession, originalOf } from "../../core/names/task-name.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { printable } from "../../core/text/printable.ts";
import { batchesOf, readStatus, type Status } from "../../engine/views/read-status.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { hasRemote } from "../../run/landing/propose-chain.ts";
import { commandsFor, decideCommands } from "../../view/needs-person.ts";
import { statusNames } from "../../view/status-names.ts";
import { isMerged, isTaken } from "../../view/task-words.ts";
import { breakerText, sumOf } from "../../view/words.ts";
import { checkOutput } from "../output/check-output.ts";
import { outcomeExits } from "../output/exit-of.ts";
import { type RunReport, runReport } from "../run-view/run-report.ts";

export type Isolation = Status["walls"];

interface Ran {
  readonly session: string;
  /** The ids of the plan's tasks; tasks that were removed from the plan are not reported. */
  readonly ids: ReadonlySet<string>;
  readonly goOn: string;
  readonly walls?: Isolation & { readonly missing: string | null };
  readonly last?: ReadonlyMap<string, string>;
  readonly stopped?: boolean;
  /** The process that continues the tasks, if this one only watched. */
  readonly left?: number | undefined;
  readonly seconds?: number;
  readonly wasDone?: boolean;
  /** Why nothing was started. */
  readonly refused?: Deny;
}

const unfinished = ["PENDING", "IN_PROGRESS", "REVIEW", "REJECTED"];

/** The result of a run: the text, and the document that `--json` prints. */
export async function reportRun(context: IntegrationContext, ran: Ran) {
  const { engine } = context;
  const { session, refused } = ran;
  const all = await readStatus(engine);
  const isOwn = (key: string) => isOfSession(key, session) && ran.ids.has(originalOf(idOfKey(key)));
  const tasks = all.tasks.filter(({ key }) => isOwn(key));
  const counting = newestOf(tasks);
  const decisions = all.decisions.filter(({ task }) => isOwn(task) || agentOfKey(task) !== undefined);
  const outcome = refused === undefined ? outcomeOf({ tasks: counting, decisions }, ran) : "waiting";
  const { missing = null, ...walls } = ran.walls ?? { ...all.walls, missing: null };
  const costs: readonly number[] = tasks.flatMap(({ usage }) => usage.cost_usd ?? []);
  const document = {
    ...{ ...all, session: session as string | null, outcome, tasks, decisions, walls },
    batches: batchesOf(tasks),
    cost_usd: costs.length === 0 ? null : sumOf(costs),
    ...(refused === undefined ? {} : { refused }),
  };
  const nameOf = statusNames(all.tasks).of;
  const report: RunReport = {
    ...{ session, outcome, tasks: counting, decisions, missing },
    walls: ran.walls === undefined ? null : walls,
    ...{
      wasDone: ran.wasDone ?? false,
      base: context.repository.base,
      breaker: all.breaker.mode === "CLEAR" ? null : printable(breakerText(all.breaker)),
      goOn: ran.goOn,
      left: ran.left ?? null,
    },
    ...{ last: ran.last ?? new Map(), seconds: ran.seconds ?? 0 },
    nameOf,
    commandsTo: (key) => commandsAbout(all, key, nameOf),
    push: await pushCommand(context, tasks),
    columns: (process.stdout.isTTY && process.stdout.columns) || 80,
  };
  return {
    outcome,
    exit: outcomeExits[outcome],
    text: refused === undefined ? runReport(report) : outputOf(context.repository.base, refused),
    refusals: refused === undefined ? [] : [{ refused }],
    document,
  };
}

/** The commands for a task that waits for a person. */
function commandsAbout({ decisions, tasks }: Status, key: string, nameOf: (key: string) => string) {
  const asked = decisions.filter(({ task }) => task === key);
  if (asked.length > 0) return asked.flatMap((one) => decideCommands(one, decisions).slice(0, 1));
  return tasks.filter((task) => task.key === key).flatMap((task) => commandsFor(task, nameOf(key)));
}

export type RunTold = Awaited<ReturnType<typeof reportRun>>;

const worstFirst = ["failed", "waiting", "stopped", "running", "merged"] as const;

/** The combined report of several sessions that one command continued. */
export function reportTogether(told: readonly RunTold[]): RunTold {
  const [first, ...more] = told;
  if (first === undefined) throw new Error("there is no run to report on");
  if (more.length === 0) return first;
  const outcome = worstFirst.find((one) => told.some((run) => run.outcome === one)) ?? "merged";
  const documents = told.map(({ document }) => document);
  const tasks = documents.flatMap((document) => document.tasks);
  const decisions = documents.flatMap((document) => document.decisions);
  const costs = documents.flatMap(({ cost_usd }) => cost_usd ?? []);
  return {
    outcome,
    exit: outcomeExits[outcome],
    text: told.map(({ text }) => text).join("\n"),
    refusals: told.flatMap(({ refusals }) => refusals),
    document: {
      ...{ ...first.document, session: null, outcome, tasks },
      decisions: decisions.filter(({ id }, at) => decisions.findIndex((one) => one.id === id) === at),
      batches: batchesOf(tasks),
      cost_usd: costs.length === 0 ? null : sumOf(costs),
    },
  };
}

/** States and holds of tasks that wait for a person; other tasks that are not merged have failed. */
const waitingStates = ["REVIEW", "ESCALATED", "PENDING", "REJECTED"];
const waitingHolds = ["reported", "stopped", "lock"];

/** A task that was rolled back and runs again is reported under its new name only. */
function newestOf<Task extends { readonly key: string; readonly created_at: string }>(
  tasks: readonly Task[],
) {
  const inTime = tasks.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1));
  const newest = new Set(new Map(inTime.map((task) => [originalOf(task.key), task])).values());
  return tasks.filter((task) => newest.has(task));
}

function outcomeOf({ tasks, decisions }: Pick<Status, "tasks" | "decisions">, { stopped, left }: Ran) {
  const states = tasks.map((task) => (task.state === "MERGED" && !isMerged(task) ? "PENDING" : task.state));
  if (tasks.every(isMerged)) return "merged";
  if (stopped === true && states.some((state) => unfinished.includes(state)))
    return left === undefined ? "stopped" : "running";
  const isWaiting =
    states.some((state) => waitingStates.includes(state)) ||
    tasks.some(({ state, hold }) => state === "BLOCKED" && waitingHolds.includes(hold?.kind ?? ""));
  return isWaiting || decisions.length > 0 || tasks.some(isTaken) ? "waiting" : "failed";
}

/** Lockstep never pushes the base itself. */
export async function pushCommand({ repository, config }: IntegrationContext, tasks: Status["tasks"]) {
  const hasMerged = tasks.some(({ state }) => state === "MERGED");
  if (!hasMerged || config.integrate !== "local" || !(await hasRemote(repository.root))) return null;
  return `git push origin ${repository.base}`;
}

/** The output of a check that fails on the base. */
function outputOf(base: string, { details }: Deny): string {
  return checkOutput(details, { name: base })
    .map((line) => `${line}\n`)
    .join("");
}
