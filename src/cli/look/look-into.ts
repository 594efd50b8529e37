import { spawnSync } from "node:child_process";
import { isHere } from "../../core/leases/lease.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { fetchWorkOf } from "../../run/landing/work/share-work.ts";
import { workRange } from "../../run/landing/work/work-range.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { findTask } from "../open/find-task.ts";
import { type Opened, openEngine } from "../open/open-engine.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { faultVerdict, tellRefusal } from "../output/verdicts.ts";
import { checksTable, findProof, showCheck } from "./check-log.ts";
import { showLog } from "./show-log.ts";

interface LogOptions {
  readonly follow?: boolean;
  readonly check?: string;
  readonly json?: boolean;
}

/** Prints what the agent of a task said and the checks of its last proof, or the whole output of one check. */
export async function logCommand(name: string, options: LogOptions): Promise<number> {
  const { follow = false, check, json } = options;
  try {
    using opened = await openEngine({ onFaults: "warn" });
    const folder = openStateFolder(opened.project);
    const { task, proof } = await findProof(opened, folder, name);
    if (check !== undefined) return showCheck({ name, wanted: check, json }, proof);
    const { engine } = opened;
    const shown = task === undefined ? undefined : await showLog({ engine, folder, task, follow, json });
    if (shown === undefined && proof === undefined)
      throw new CommandFault("R-IN-001", `task \`${task?.key}\` has no log: no \`run\` has started it`);
    // There may be a newer proof after a long time of following.
    const latest = follow ? (await findProof(opened, folder, name)).proof : proof;
    const checks = latest?.checks ?? [];
    const { lines = [], left = [] } = shown ?? {};
    const document = { task: task?.key ?? null, lines, checks, ...(left.length === 0 ? {} : { left }) };
    if (json === true) writeAll(1, `${JSON.stringify(document, null, 2)}\n`);
    else if (latest !== undefined) writeAll(1, `${shown === undefined ? "" : "\n"}${checksTable(latest)}`);
    return 0;
  } catch (error) {
    return tellRefusal(faultVerdict(error), json);
  }
}

/** Runs `git diff`, with its own pager and colours. */
export function diffCommand(name: string): Promise<number> {
  return looking(async ({ project, config, engine }) => {
    const root = project.place.realRoot ?? project.place.root;
    const asked = await askedCommit(engine, name);
    if (asked !== undefined) return showDiff(root, [`${config.base_branch ?? "HEAD"}...${asked}`]);
    const task = await findTask(engine, name);
    if (task.attempts === 0 && task.commit === null) return noChanges(name);
    const failed = await fetchWorkOf({ repository: { root }, config }, task);
    const range = await workRange(task, { root, commonFolder: project.commonFolder });
    const diff = (...words: string[]) =>
      spawnSync("git", ["-C", root, "diff", ...words, ...range, "--"], {
        stdio: words.length === 0 ? "inherit" : "ignore",
      }).status;
    const differs = diff("--quiet");
    if (differs === 0) return noChanges(name);
    if (differs === 1 && diff() === 0) return 0;
    const why = failed ?? (await whyNotHere(engine, task));
    throw new CommandFault(
      "E-GIT",
      `task \`${task.key}\` has no work to show${why === undefined ? "" : `: ${why}`}`,
    );
  });
}

/** Work in progress can be seen only on its machine. */
async function whyNotHere({ ledger, machine }: Engine, { key }: Task): Promise<string | undefined> {
  const attempt = await ledger.attempt(key);
  if (attempt === undefined || isHere(attempt, machine)) return undefined;
  const name = (await ledger.machines()).find(({ id }) => id === attempt.machine)?.name ?? attempt.machine;
  return `it is on machine \`${name}\` until it is handed in; \`lockstep log ${key}\` shows what the agent says`;
}

/** On stderr, because an empty diff prints nothing to stdout. */
function noChanges(name: string): 0 {
  writeAll(2, `task ${name}: no changes so far\n`);
  return 0;
}

/** The commit of a branch that waits to be landed, from the open question about it. */
async function askedCommit({ ledger }: Engine, name: string): Promise<string | undefined> {
  const [asked] = (await ledger.decisions({ state: "pending" })).filter(({ task }) => task === name);
  return asked === undefined || (await ledger.task(name)) !== undefined
    ? undefined
    : (asked.data?.commit ?? undefined);
}

function showDiff(root: string, range: readonly string[]): number {
  return spawnSync("git", ["-C", root, "diff", ...range, "--"], { stdio: "inherit" }).status ?? 1;
}

async function looking(show: (opened: Opened) => Promise<number>): Promise<number> {
  try {
    using opened = await openEngine({ onFaults: "warn" });
    return await show(opened);
  } catch (error) {
    return tellRefusal(faultVerdict(error), false);
  }
}
