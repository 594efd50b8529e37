import { assignmentOf } from "../../clients/input/universal-input.ts";
import { planSchema } from "../../contract/plan.ts";
import { worklogPath } from "../../core/names/session-paths.ts";
import { metaId, metaKey } from "../../core/names/task-name.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { sessionDecisions } from "../../engine/decisions/session-decisions.ts";
import type { RunTask } from "../../run/attempt/run-context.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";

type Given = Partial<LoadedPlan["tasks"][number]> & {
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly acceptance_checks: readonly string[];
};

/** A generated plan with one task and default values. */
export function singlePlan(given: Given): LoadedPlan {
  const { tasks, ...plan } = planSchema.parse({ tasks: [given] });
  return { ...plan, tasks: tasks.map((task) => ({ ...task, title: given.title })) };
}

/** The task of a role that works for the session as a whole. */
export function metaTask(
  session: string,
  {
    goal,
    title,
    files,
    agent,
    contextFiles = [],
    constraints = [],
  }: {
    readonly goal: string;
    readonly title: string;
    /** The files that the task may write. */
    readonly files: readonly string[];
    readonly agent: string;
    readonly contextFiles?: readonly string[];
    readonly constraints?: readonly string[];
  },
): RunTask {
  const [plan] = singlePlan({
    ...{ id: "T-meta", goal, title, lock_scope: [...files], acceptance_checks: [`manual: ${title}`] },
    ...{ context_files: [...contextFiles], constraints: [...constraints] },
  }).tasks;
  if (plan === undefined) throw new Error("a plan with one task must have one task");
  const key = metaKey(session);
  const assignment = assignmentOf(plan, worklogPath(session, metaId));
  return {
    ...{ key, agent, plan: { ...plan, id: metaId } },
    packet: { task_id: key, title, agent, assignment: { ...assignment } },
  };
}

/** The answers that people have given in this session, for the next agent. */
export async function decidedBefore(engine: Engine, session: string): Promise<readonly string[]> {
  const decisions = await sessionDecisions(engine, session);
  return decisions.flatMap(({ state, question, answer }) =>
    state === "answered" && answer !== null
      ? [oneLine(`A person was asked: ${question} Answer: ${answer}`)]
      : [],
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
