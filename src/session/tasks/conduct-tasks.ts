import { join } from "node:path";
import { copyName } from "../../core/names/session-paths.ts";
import type { RunContext, RunTask } from "../../run/attempt/run-context.ts";
import { Conductor } from "../../run/conduct/conduct.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import { sessionFolder } from "../files/session-files.ts";
import { block, blockUnanswered } from "../roles/block.ts";
import { judgeViewEdit } from "../roles/judge-view-edit.ts";
import { isStopping, type SessionContext, type StepEnd } from "../roles/session-context.ts";
import { forRole, givenTo } from "./plan-for-role.ts";

interface Conducting {
  /** The role for tasks to which the plan assigns no agent. */
  readonly role: string;
  reviewersFor(task: RunTask): readonly string[];
  /** Additional callbacks for the run. */
  more?(run: RunContext): Partial<RunContext>;
}

/**
 * Runs the tasks of a plan as `lockstep run` does. Every agent gets the session's files that its role must read
 * first; if one is missing, no agent is started (S4-055, S4-058). Undefined if the run ended normally.
 */
export async function conductTasks(
  sessionContext: SessionContext,
  plan: LoadedPlan,
  { role, reviewersFor, more = () => ({}) }: Conducting,
): Promise<StepEnd | undefined> {
  const { context, run, roles, name, stops } = sessionContext;
  const { root } = context.repository;
  const given = (of: string) => givenTo(of, name, root);
  const file = join(sessionFolder(root, name), copyName);
  const wholePlan = forRole(plan, { roles, role, session: name, root });
  const taken = await run.takeIn({ plan: wholePlan, session: { session: name, file } });
  if ("allow" in taken)
    return block(sessionContext, { code: taken.code, reason: taken.reason, recovery: "fix it" });
  const roleOf = (agent: string) => context.config.agents[agent]?.role ?? role;
  for (const asked of new Set([role, ...taken.tasks.flatMap(reviewersFor).map(roleOf)])) {
    const { missing } = given(asked);
    if (missing.length > 0) return blockUnanswered(sessionContext, asked, { how: "missing", files: missing });
  }
  const runContext: RunContext = {
    ...taken.context,
    reviewersFor,
    filesFor: (of) => given(of).files,
    onViewEdit: (task, edit) =>
      judgeViewEdit(sessionContext, { role: roleOf(task.agent), task: task.plan.id, edit }),
    ...more(taken.context),
  };
  const conductor = await Conductor.open(runContext, stops);
  await conductor.add(runContext, taken.tasks);
  await conductor.run();
  return isStopping(sessionContext) ? "stopped" : undefined;
}

const sensitive =
  /\b(?:auth\w*|log-?in|passwords?|tokens?|secrets?|permissions?|inputs?|uploads?|network|https?|urls?|sql|crypto\w*)\b/i;

/** Every task gets Reviewer and QA; Security is added if the task is security-sensitive. */
export function reviewersOf({ roles }: SessionContext, { plan }: RunTask): readonly string[] {
  const isSensitive = plan.risk_flags.includes("security") || sensitive.test(`${plan.title}\n${plan.goal}`);
  return ["Reviewer", "QA", ...(isSensitive ? ["Security"] : [])].map(roles.agentOf);
}
