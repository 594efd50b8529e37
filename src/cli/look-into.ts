import { spawnSync } from "node:child_process";
import type { Task } from "../core/tasks/task.ts";
import { unknownTask } from "../engine/known-task.ts";
import { readTaskLog } from "../run/conduct/task-logs.ts";
import { openStateFolder } from "../workspace/state-folder.ts";
import { CommandFault } from "./command-fault.ts";
import { writeAll } from "./descriptor.ts";
import { type Opened, openEngine } from "./open-engine.ts";
import { printable } from "./table.ts";
import { faultVerdict } from "./verdicts.ts";

export function logCommand(name: string): Promise<number> {
  return looking(name, async ({ project }, { key }) => {
    const log = readTaskLog(openStateFolder(project), key);
    if (log === undefined)
      throw new CommandFault("R-IN-001", `task \`${key}\` has no log: no \`run\` has started it`);
    writeAll(1, log.split("\n").map(printable).join("\n"));
    return 0;
  });
}

/** Git shows it, with its own pager and colours. */
export function diffCommand(name: string): Promise<number> {
  return looking(name, async ({ project }, { key, id, commit }) => {
    const range = commit === null ? `HEAD...lockstep/${id}` : `${commit}^1...${commit}`;
    const root = project.place.realRoot ?? project.place.root;
    const { status } = spawnSync("git", ["-C", root, "diff", range, "--"], { stdio: "inherit" });
    if (status !== 0) throw new CommandFault("E-GIT", `there is no work of task \`${key}\` to show`);
    return 0;
  });
}

async function looking(name: string, show: (opened: Opened, task: Task) => Promise<number>): Promise<number> {
  try {
    using opened = await openEngine();
    return await show(opened, await findTask(opened, name));
  } catch (error) {
    const { code, reason } = faultVerdict(error);
    writeAll(2, `lockstep: ${code}: ${reason}\n`);
    return 2;
  }
}

/** `SESSION/T-001`, or `T-001` of the newest session that has one. */
async function findTask({ engine }: Opened, name: string): Promise<Task> {
  const exact = await engine.ledger.task(name);
  const named = exact ?? (await engine.ledger.tasks()).filter(({ id }) => id === name).at(-1);
  if (named !== undefined) return named;
  const { code, reason } = unknownTask(name);
  throw new CommandFault(code, reason);
}
