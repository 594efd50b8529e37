import { vagueWarnings } from "../../core/proof/vague-wording.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";

const shownMax = 5;

/** Warnings about vague goals and criteria, by task. */
export function vagueTasks({ tasks }: Pick<LoadedPlan, "tasks">): readonly string[] {
  return tasks.flatMap(({ id, goal, acceptance_checks, done_when }) =>
    vagueWarnings({ goal, criteria: [...acceptance_checks, ...done_when] }).map((line) => `${id}: ${line}`),
  );
}

/** The first warnings, as progress lines of a run. */
export function vagueLines(plan: Pick<LoadedPlan, "tasks">): readonly string[] {
  const all = vagueTasks(plan);
  const left = all.length - shownMax;
  return [
    ...all.slice(0, shownMax).map((line) => `warning: ${line}`),
    ...(left > 0 ? [`warning: ${left} more like these: \`lockstep run --dry-run\` lists them`] : []),
  ];
}
