import { setTimeout as sleep } from "node:timers/promises";
import { concernsSession } from "../../core/names/task-name.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { wrapped } from "../../core/text/display-width.ts";
import type { Status, TaskStatus } from "../../engine/views/read-status.ts";
import type { SandboxGap } from "../../guard/setup/sandbox-gaps.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { continueCommands } from "../../view/continue-run.ts";
import { isConducted, machinesLine } from "../../view/machine-words.ts";
import { needsPerson } from "../../view/needs-person.ts";
import { statusNames } from "../../view/status-names.ts";
import { inShownOrder } from "../../view/task-order.ts";
import { isTaken } from "../../view/task-words.ts";
import { breakerText, isolationWords } from "../../view/words.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { clockTime } from "../../workspace/process/local-time.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { ask } from "../open/ask.ts";
import { needPlace } from "../open/need-place.ts";
import { type ServerStatus, serverLine, serverStatus } from "../open/server-status.ts";
import { showReading } from "../output/reading.ts";
import { style } from "../output/style.ts";
import { counted, printable } from "../output/table.ts";
import { drawRun } from "../run-view/draw-run.ts";
import { lessLines } from "../run-view/less-lines.ts";
import { type Key, readKeys } from "../run-view/press-key.ts";
import type { RunModel } from "../run-view/run-model.ts";
import { Screen } from "../run-view/screen.ts";
import { type Behind, behindBase, behindText } from "./behind-base.ts";
import { diskText, readDisk } from "./disk.ts";
import { gapLine, guardGaps, uncomparedLine } from "./guard-gaps.ts";
import { type FilterOptions, filterStatus, isFilter } from "./status-filter.ts";
import { countedStates, taskTable } from "./task-table.ts";

interface StatusOptions extends FilterOptions {
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly disk?: boolean;
}

/** The status with facts that only the running process knows. */
type Told = Status & {
  readonly isRunning: boolean;
  /** The caller is an agent of the run, which cannot see its own isolation. */
  readonly isInside?: boolean;
  /** The branch of this checkout lacks commits of the base at the remote, as far as they were fetched. */
  readonly behind?: Behind;
  /** All matching tasks are shown, without limits. */
  readonly isWhole?: boolean;
};

const watchMs = 1000;

export async function statusCommand({ json, watch, disk, ...filter }: StatusOptions): Promise<number> {
  if (disk === true)
    return showReading({ json, text: diskText }, async () => {
      await needPlace();
      return readDisk();
    });
  if (watch === true && json !== true && process.stdout.isTTY) return watchStatus(filter);
  const withServer = async <Read extends object>(read: () => Promise<Read | Deny>) => {
    const status = await read();
    return "allow" in status ? status : { ...status, server: serverStatus() };
  };
  if (json === true)
    return showReading({ json, text: () => "" }, () => withServer(() => readDocument(filter)));
  const gaps = await guardGaps();
  return showReading({ text: (told) => textWithServer(told, gaps) }, () =>
    withServer(() => readTold(filter)),
  );
}

async function readDocument(filter: FilterOptions): Promise<Status | Deny> {
  const told = await readTold(filter);
  if ("allow" in told) return told;
  const { isRunning: _running, isInside: _inside, isWhole: _whole, ...status } = told;
  return status;
}

async function readTold(filter: FilterOptions): Promise<Told | Deny> {
  await needPlace();
  const read = await ask("status", {});
  if ("allow" in read) return read;
  const isWhole = isFilter(filter);
  const status = isWhole ? filterStatus(read, filter, Date.now()) : read;
  // The run itself answered through the socket.
  if (process.env.LOCKSTEP_SOCKET) return { ...status, isRunning: true, isInside: true, isWhole };
  const behind = await behindBase(read.tasks.flatMap(({ commit }) => commit ?? []));
  const more = { isWhole, ...(behind === undefined ? {} : { behind }) };
  const walls = isolationAtWork();
  if (walls === undefined) return { ...status, isRunning: false, ...more };
  return { ...status, walls: { ...status.walls, ...walls, diff: true }, isRunning: true, ...more };
}

/** The isolation of the agents of the active run; undefined without one. */
function isolationAtWork(): { readonly sandbox: boolean } | undefined {
  const project = findProject(currentFolder());
  return hasLedger(project) ? runAtWork(openStateFolder(project))?.walls : undefined;
}

/** The view of a run, until the person quits it. */
async function watchStatus(filter: FilterOptions): Promise<number> {
  using screen = new Screen(process.stdout);
  using ending = awaitEnd();
  for (;;) {
    const told = await readTold(filter);
    if ("allow" in told) {
      screen.close();
      return showReading({ text: statusText }, async () => told);
    }
    const frame = { ...screen.size, now: Date.now(), paint: style };
    const { keys } = ending;
    screen.draw(
      isEmpty(told)
        ? [nothingYet, ...(keys === null ? [] : ["", ...keys])]
        : drawRun(modelOf(told, keys), frame),
    );
    if (ending.isOver) return 0;
    await Promise.race([ending.over, sleep(watchMs)]);
    if (ending.isOver) return 0;
  }
}

const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const endKeys: readonly Key[] = ["interrupt", "leave", "back"];

/** Ends on Ctrl-C, q or Esc; without a keyboard on signals only. */
function awaitEnd() {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const { stdin } = process;
  const hasKeys = stdin.isTTY === true;
  let isOver = false;
  const end = () => {
    isOver = true;
    resolve();
  };
  const onData = (chunk: Buffer) => {
    if (readKeys(chunk.toString()).some((key) => endKeys.includes(key))) end();
  };
  for (const signal of endings) process.on(signal, end);
  if (hasKeys) stdin.setRawMode(true).on("data", onData).resume();
  return {
    over,
    get isOver() {
      return isOver;
    },
    keys: hasKeys ? ["q quits"] : null,
    [Symbol.dispose]: () => {
      for (const signal of endings) process.off(signal, end);
      if (hasKeys) stdin.off("data", onData).setRawMode(false).pause();
    },
  };
}

function modelOf(told: Told, keys: RunModel["keys"]): RunModel {
  const { tasks, decisions, walls, breaker, isRunning, isInside } = told;
  return {
    ...{ name: null, decisions, last: new Map(), sinceMs: null, keys },
    tasks: tasks.filter(({ archived }) => !archived),
    nameOf: statusNames(tasks).of,
    walls: isRunning && isInside !== true ? walls : null,
    budget: { tokens: null, costUsd: null },
    remark: [...workflowLines(told), ...[noRun(told)].flatMap((text) => text ?? [])].join("; ") || null,
    machines: machinesLine(told.machines),
    notice: breaker.mode === "CLEAR" ? null : breakerLine(breaker),
    selected: null,
  };
}

function textWithServer(
  { server, ...told }: Told & { readonly server: ServerStatus | null },
  gaps: readonly SandboxGap[],
): string {
  const lines = [
    ...(told.behind === undefined ? [] : [behindText(told.behind)]),
    ...machineLines(told),
    ...(server === null ? [] : [serverLine(server)]),
    ...gaps.map(gapLine),
    ...[uncomparedLine() ?? []].flat(),
  ];
  return `${statusText(told)}${lines.map((line) => `${style.dim(line)}\n`).join("")}`;
}

/** The machines that share the ledger, with the tasks that run on them. */
function machineLines({ machines = [], tasks }: Told): readonly string[] {
  const nameOf = statusNames(tasks).of;
  return machines.map(
    ({ id, name, is_this, gone, dead, last_seen_at, slots, labels, draining, lacks, conducts }) => {
      const own = tasks.filter(({ alive }) => alive?.machine === id && alive.lease !== "over");
      const work = own.length === 0 ? "no tasks" : own.map(({ key }) => nameOf(key)).join(", ");
      const offer = [
        ...(slots === 0 ? [] : [draining ? "draining" : counted(slots, "slot")]),
        ...(labels.length === 0 ? [] : [`labels ${labels.join(", ")}`]),
        ...conducts.map((session) => `conducts ${session}`),
        ...lacks.map((why) => `lacks: ${why}`),
      ];
      const seen = gone
        ? `${dead ? "dead, " : ""}not seen since ${clockTime(last_seen_at)}`
        : `seen ${clockTime(last_seen_at)}`;
      const parts = [work, ...offer, seen].map(printable).join("; ");
      return `machine ${printable(name)}${is_this ? " (this one)" : ""}: ${parts}`;
    },
  );
}

/** First what waits for a person, then everything. */
export function statusText(told: Told): string {
  const { breaker, tasks, decisions, landings } = told;
  if (isEmpty(told) && !told.isWhole) return `${nothingYet}\n`;
  const stopped = breaker.mode === "CLEAR" ? "" : `${breakerLine(breaker)}\n\n`;
  const nameOf = statusNames(tasks).of;
  const waiting = needsPerson(decisions, tasks, nameOf, landings).map(
    ({ name, text, commands }) =>
      `${needText(name, text)}${commands.map((command) => `      ${command}\n`).join("")}`,
  );
  const heading = waiting.length === 0 ? "" : `${style.bold("waiting for you")}\n${waiting.join("")}\n`;
  const flow = workflowLines(told).map((line) => `${line}\n`);
  const workflow = flow.length === 0 ? "" : `${flow.join("")}\n`;
  const idle = noRun(told);
  const remark = idle === null ? "" : `${idle}\n\n`;
  const before = `${stopped}${heading}${workflow}${remark}`;
  if (tasks.length === 0) return `${before}${told.isWhole ? "no matching tasks" : "no tasks yet"}\n`;
  const shown = told.isWhole ? tasks : worthShowing(tasks, nameOf);
  const less = lessLines(shown, nameOf).map((line) => `${line}\n`);
  const rows = shown.length === 0 ? "" : taskTable(shown, nameOf);
  return `${before}${rows}${moreLine(tasks, shown)}\n${less.join("")}${countedStates(tasks)}\n${footer(told)}\n`;
}

/** The number of tasks that the table leaves out. */
function moreLine(tasks: readonly TaskStatus[], shown: readonly TaskStatus[]): string {
  const listed = new Set(shown);
  const hidden = tasks.filter((task) => !listed.has(task));
  if (hidden.length === 0) return "";
  return style.dim(`and ${hidden.length} more: ${countedStates(hidden)}; \`lockstep task list\` shows all\n`);
}

/** Wrapped to the terminal. */
function needText(name: string, text: string): string {
  const columns = process.stdout.isTTY ? process.stdout.columns : Infinity;
  const [first = "", ...more] = wrapped(`${name}  ${text}`, columns - 6);
  return `  ${first.replace(name, `${name} `)}\n${more.map((line) => `      ${line}\n`).join("")}`;
}

/** The state of the session, the role at work, and what blocks it. */
function workflowLines({ workflow, isRunning, machines }: Told): readonly string[] {
  if (workflow === null || workflow.over !== null) return [];
  const { session, state, mode, dispatched, blocker } = workflow;
  const where = blocker === null ? state : `${style.red(state)} in ${blocker.from_state}`;
  const work =
    dispatched === null ? "" : `, ${workWords(dispatched, isRunning || isConducted({ machines }))}`;
  return [
    `${style.bold(session)}  ${where}, ${mode} mode${work}`,
    ...(blocker === null
      ? []
      : [`  ${blocker.code}: ${printable(blocker.reason)}`, `  ${printable(blocker.recovery)}`]),
  ];
}

function workWords(
  { role, agent, at }: NonNullable<NonNullable<Told["workflow"]>["dispatched"]>,
  isRunning: boolean,
): string {
  const who = `${role} (${printable(agent)})`;
  return isRunning
    ? `${who} at work since ${clockTime(at)}`
    : `${who} was asked at ${clockTime(at)}, but no run is active`;
}

/** The command that continues, if there is work for a run and none is active. */
function noRun({ tasks, decisions, workflow, ...told }: Told): string | null {
  const isRunning = told.isRunning || isConducted(told);
  const isOpenSession = workflow !== null && workflow.over === null && workflow.state !== "BLOCKED";
  if (isOpenSession && !isRunning)
    return decisions.some(({ task }) => concernsSession(task, workflow.session))
      ? null
      : `no run is active: to continue, run \`lockstep resume ${workflow.session}\``;
  const asked = new Set(decisions.map(({ task }) => task));
  const isOpen = (task: TaskStatus) =>
    task.key.includes("/") &&
    !task.archived &&
    open.includes(task.state) &&
    !isTaken(task) &&
    !asked.has(task.key);
  const left = tasks.filter(isOpen).map(({ key }) => key);
  return isRunning || left.length === 0
    ? null
    : `no run is active: to continue, run ${continueCommands(left)}`;
}

const open = ["PENDING", "IN_PROGRESS", "REVIEW", "REJECTED"];
const nothingYet = "no tasks yet: start with `lockstep do`, `lockstep run` or `lockstep task add`";

function isEmpty({ tasks, decisions, landings, breaker, workflow }: Status): boolean {
  const waits = decisions.length + landings.length > 0;
  return tasks.length === 0 && !waits && workflow === null && breaker.mode === "CLEAR";
}

function breakerLine(breaker: Status["breaker"]): string {
  return style.red(printable(breakerText(breaker)));
}

/** The maximum number of rows of each state. */
const rowsMax = { PENDING: 20, MERGED: 20, FAILED: 20 } as const;
const rowsMaxElse = 50;

/** The first waiting tasks and the newest finished ones, without those of abandoned sessions. */
export function worthShowing(
  tasks: readonly TaskStatus[],
  nameOf: (key: string) => string,
): readonly TaskStatus[] {
  const byState = Map.groupBy(
    tasks.filter(({ archived }) => !archived),
    ({ state }) => state,
  );
  const newest = (one: TaskStatus, other: TaskStatus) =>
    (other.started_at ?? other.created_at) < (one.started_at ?? one.created_at) ? -1 : 1;
  return [...byState].flatMap(([state, all]) => {
    const isOver = state === "MERGED" || state === "FAILED";
    const sorted = isOver ? all.toSorted(newest) : inShownOrder(all, nameOf);
    return sorted.slice(0, state in rowsMax ? rowsMax[state as keyof typeof rowsMax] : rowsMaxElse);
  });
}

/** The number of tasks with locks, the known cost, the isolation, and how the last session ended. */
function footer({ tasks, cost_usd, walls, isRunning, isInside, workflow }: Told): string {
  const holders = tasks.filter(({ alive }) => alive !== null && alive.lease !== "over").length;
  const cost = cost_usd === null ? "" : `, ${cost_usd} USD`;
  const isolation = isRunning && isInside !== true ? `; isolation: ${isolationWords(walls)}` : "";
  const last = workflow?.over == null ? "" : `; ${workflow.session} is ${workflow.over}`;
  return style.dim(`${counted(holders, "task")} with locks${cost}${isolation}${last}`);
}
