import { join } from "node:path";
import { copyName } from "../core/names/session-paths.ts";
import { contextFilesFor } from "../core/session/context-files.ts";
import type { RunContext, RunTask } from "../run/attempt/run-context.ts";
import { Conductor } from "../run/conduct/conduct.ts";
import type { LoadedPlan } from "../workspace/plan/load-plan.ts";
import { block, blockUnanswered } from "./block.ts";
import { judgeWish } from "./judge-wish.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";
import { listSessionFiles, sessionFolder } from "./session-files.ts";

interface Conducting {
  /** Who does what the plan leaves to nobody in particular. */
  readonly role: string;
  reviewersFor(task: RunTask): readonly string[];
  /** What else the session wants to know of the run. */
  more?(run: RunContext): Partial<RunContext>;
}

/**
 * Lets the tasks of a plan be done as `lockstep run` does them. Everybody is given the session's files that their role
 * reads first; where one is missing nobody is asked (S4-055, S4-058). Undefined where the run came to its end.
 */
export async function conductTasks(
  sessionContext: SessionContext,
  plan: LoadedPlan,
  { role, reviewersFor, more = () => ({}) }: Conducting,
): Promise<StepEnd | undefined> {
  const { context, run, roles, name, stops } = sessionContext;
  const { root } = context.repository;
  const given = (of: string) => contextFilesFor(of, name, listSessionFiles(root, name));
  const tasks = plan.tasks.map((task) => ({
    ...task,
    agent: task.agent ?? roles.agentOf(role),
    context_files: [...new Set([...task.context_files, ...given(role).files])],
  }));
  const file = join(sessionFolder(root, name), copyName);
  const taken = await run.takeIn({ plan: { ...plan, tasks }, session: { session: name, file } });
  if ("allow" in taken)
    return block(sessionContext, { code: taken.code, reason: taken.reason, recovery: "fix that" });
  const roleOf = (agent: string) => context.config.agents[agent]?.role ?? role;
  for (const asked of new Set([role, ...taken.tasks.flatMap(reviewersFor).map(roleOf)])) {
    const { missing } = given(asked);
    if (missing.length > 0) return blockUnanswered(sessionContext, asked, { how: "missing", files: missing });
  }
  const runContext: RunContext = {
    ...taken.context,
    reviewersFor,
    filesFor: (of) => given(of).files,
    onWish: (task, wish) => judgeWish(sessionContext, { role: roleOf(task.agent), task: task.plan.id, wish }),
    ...more(taken.context),
  };
  const conductor = await Conductor.open(runContext, stops);
  await conductor.add(runContext, taken.tasks);
  await conductor.run();
  return stops.gently.aborted ? "stopped" : undefined;
}
