import { readRef } from "../../workspace/git/refs.ts";
import { integrate } from "../integrate.ts";
import type { Member } from "../integration.ts";
import type { RunContext, RunTask } from "./run-context.ts";

/** What one task made, and what became of it. */
export interface BroughtIn {
  readonly key: string;
  readonly member: Member;
}

/** Merges the work of tasks in review, in their order, as far as it can be proven. */
export async function bringIn(context: RunContext, tasks: readonly RunTask[]): Promise<readonly BroughtIn[]> {
  const isDirect = ({ plan }: RunTask) => plan.skip_pr && context.config.integrate === "pr";
  return [
    ...(await bringInAs(context, "local", tasks.filter(isDirect))),
    ...(await bringInAs(
      context,
      context.config.integrate,
      tasks.filter((task) => !isDirect(task)),
    )),
  ];
}

/** S2: a task without a pull request is merged directly, whatever the others are. */
async function bringInAs(
  context: RunContext,
  way: RunContext["config"]["integrate"],
  tasks: readonly RunTask[],
): Promise<readonly BroughtIn[]> {
  if (tasks.length === 0) return [];
  const now = await context.atBase();
  const base = { ...now, config: { ...now.config, integrate: way } };
  const wishes = await Promise.all(
    tasks.map(async (task) => ({
      branch: `lockstep/${task.plan.id}`,
      task: task.key,
      commit: (await handedIn(context, task)) ?? base.repository.baseCommit,
      ...{ scope: null, checks: [], proves: [] },
    })),
  );
  const { branches } = await integrate(base, wishes);
  return branches.map((member, at) => ({ key: tasks[at]?.key ?? member.branch, member }));
}

/** The work of the attempt that is in review; undefined where it changed nothing. */
export async function handedIn(
  { engine, repository }: RunContext,
  { key }: Pick<RunTask, "key">,
): Promise<string | undefined> {
  const task = await engine.ledger.task(key);
  const ref = `refs/lockstep/${task?.session ?? "none"}/${task?.id}/${task?.attempts ?? 0}`;
  return readRef(repository.root, ref);
}
