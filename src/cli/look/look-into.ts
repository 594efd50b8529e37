import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "../../core/tasks/task.ts";
import { isTaken } from "../../engine/attempts/take-task.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { hasTaskLog, readTaskLogFrom } from "../../run/landing/task-logs.ts";
import { workRange } from "../../run/landing/work-range.ts";
import { withLocalTime } from "../../workspace/process/local-time.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { findTask } from "../open/find-task.ts";
import { type Opened, openEngine } from "../open/open-engine.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { printable } from "../output/table.ts";
import { faultVerdict, tellRefusal } from "../output/verdicts.ts";
import { checksTable, findProof, showCheck } from "./check-log.ts";

const pollMs = 200;
const newline = 0x0a;

interface LogOptions {
  readonly follow?: boolean;
  readonly check?: string;
  readonly json?: boolean;
}

/** Prints what the agent of a task said and the checks of its last proof, or the whole output of one check. */
export async function logCommand(name: string, options: LogOptions): Promise<number> {
  const { follow = false, check, json } = options;
  try {
    using opened = await openEngine();
    const folder = openStateFolder(opened.project);
    const { task, proof } = await findProof(opened, folder, name);
    if (check !== undefined) return showCheck({ name, wanted: check, json }, proof);
    const hasLog = task !== undefined && hasTaskLog(folder, task.key);
    if (!hasLog && proof === undefined)
      throw new CommandFault("R-IN-001", `task \`${task?.key}\` has no log: no \`run\` has started it`);
    const lines = hasLog ? await showLog(opened.engine, { task, folder, follow, json }) : [];
    // There may be a newer proof after a long time of following.
    const latest = follow ? (await findProof(opened, folder, name)).proof : proof;
    const checks = latest?.checks ?? [];
    if (json === true)
      writeAll(1, `${JSON.stringify({ task: task?.key ?? null, lines, checks }, null, 2)}\n`);
    else if (latest !== undefined) writeAll(1, `${hasLog ? "\n" : ""}${checksTable(latest)}`);
    return 0;
  } catch (error) {
    return tellRefusal(faultVerdict(error), json);
  }
}

interface Shown {
  readonly task: Task;
  readonly folder: string;
  readonly follow: boolean;
  readonly json: boolean | undefined;
}

/** Prints the log, or returns its lines for `--json`. */
async function showLog(engine: Engine, { task, folder, follow, json }: Shown): Promise<readonly string[]> {
  let at = 0;
  const lines: string[] = [];
  const show = () => {
    const bytes = readTaskLogFrom(folder, task.key, at);
    const end = bytes.lastIndexOf(newline) + 1;
    const whole = bytes.toString("utf8", 0, end).split("\n");
    at += end;
    if (json === true) lines.push(...whole.slice(0, -1));
    else writeAll(1, whole.map((line) => printable(withLocalTime(line))).join("\n"));
  };
  show();
  while (follow && (await isUnderWay(engine, task))) {
    await sleep(pollMs);
    show();
  }
  // The outcome is logged shortly after the state has changed.
  if (follow) await sleep(pollMs);
  if (follow) show();
  return lines;
}

/** Whether a process may still write to the log of this attempt. */
async function isUnderWay({ ledger, isAlive }: Engine, { key, attempts }: Task): Promise<boolean> {
  const task = await ledger.task(key);
  const attempt = await ledger.attempt(key);
  if (task === undefined || attempt === undefined || task.attempts !== attempts) return false;
  const works = task.state === "IN_PROGRESS" || task.state === "REVIEW";
  return works && !isTaken(task, attempt) && (attempt.runner === null || isAlive(attempt.runner) !== "no");
}

/** Runs `git diff`, with its own pager and colours. */
export function diffCommand(name: string): Promise<number> {
  return looking(name, async ({ project }, task) => {
    if (task.attempts === 0 && task.commit === null) return noChanges(name);
    const root = project.place.realRoot ?? project.place.root;
    const range = await workRange(task, { root, commonFolder: project.commonFolder });
    const diff = (...words: string[]) =>
      spawnSync("git", ["-C", root, "diff", ...words, ...range, "--"], {
        stdio: words.length === 0 ? "inherit" : "ignore",
      }).status;
    const differs = diff("--quiet");
    if (differs === 0) return noChanges(name);
    if (differs === 1 && diff() === 0) return 0;
    throw new CommandFault("E-GIT", `task \`${task.key}\` has no work to show`);
  });
}

/** On stderr, because an empty diff prints nothing to stdout. */
function noChanges(name: string): 0 {
  writeAll(2, `task ${name}: no changes so far\n`);
  return 0;
}

async function looking(name: string, show: (opened: Opened, task: Task) => Promise<number>): Promise<number> {
  try {
    using opened = await openEngine();
    return await show(opened, await findTask(opened.engine, name));
  } catch (error) {
    return tellRefusal(faultVerdict(error), false);
  }
}
