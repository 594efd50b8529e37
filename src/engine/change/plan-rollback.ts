import { unknownTask } from "../../core/names/task-name.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import type { Draft } from "./draft.ts";

/** The three levels of S1: one task, all tasks that were merged together, or a whole session. */
export interface RollbackInput {
  readonly level: "task" | "batch" | "session";
  readonly name: string;
}

export interface RollbackPlan {
  /** Merged work to be reverted, and what was merged on top of it. */
  readonly reverted: readonly Task[];
  /** Unfinished tasks of the level: ended, or for a session handed to a person. */
  readonly ended: readonly Task[];
  /** Unmerged tasks downstream: they wait. */
  readonly blocked: readonly Task[];
}

const open = ["PENDING", "IN_PROGRESS", "REVIEW", "BLOCKED", "REJECTED", "ESCALATED"];

/** The tasks that a roll-back affects, according to the ledger. */
export async function planRollback(draft: Draft, input: RollbackInput): Promise<RollbackPlan | Deny> {
  const targets = await targetsOf(draft, input);
  if ("allow" in targets) return targets;
  const reverted = new Map(targets.filter(isIn).map((task) => [task.key, task]));
  const ended = targets.filter(({ state }) => open.includes(state));
  const blocked = new Map<string, Task>();
  const names = new Set(targets.map(({ key }) => key));
  for (const task of reverted.values())
    for (const found of await draft.engine.ledger.dependents(task.key)) {
      const dependent = (await draft.task(found.key)) ?? found;
      if (isIn(dependent)) reverted.set(dependent.key, dependent);
      else if (open.includes(dependent.state) && !names.has(dependent.key))
        blocked.set(dependent.key, dependent);
    }
  return { reverted: [...reverted.values()], ended, blocked: [...blocked.values()] };
}

async function targetsOf(draft: Draft, { level, name }: RollbackInput): Promise<readonly Task[] | Deny> {
  if (level === "task") {
    const task = await draft.task(name);
    return task === undefined ? unknownTask(name) : [task];
  }
  const all = await draft.engine.ledger.tasks(level === "session" ? { session: name } : {});
  const found = level === "session" ? all : all.filter(({ batch }) => batch === name);
  const tasks = await Promise.all(found.map(async (task) => (await draft.task(task.key)) ?? task));
  if (tasks.length > 0) return tasks;
  return deny("R-IN-001", `there is no ${level} \`${name}\`: \`lockstep task list --json\` lists them`);
}

/** Whether the task is a branch made by another tool: no agent could redo it. */
export function isLandedBranch({ assignment }: Task): boolean {
  return assignment?.branch != null;
}
