import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { copyName, sessionsFolder } from "../../core/names/session-paths.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { sessionOfPlan } from "../../workspace/plan/open-session-plan.ts";
import { digestOf, readPlanSource } from "../../workspace/plan/plan-source.ts";
import { sessionsAt } from "../../workspace/plan/session-folder.ts";
import { unfinishedPlans } from "./unfinished-plans.ts";

/** The project's own plan, unless a session was started from its current content. */
export function newOwnPlan(root: string): string | undefined {
  const plan = join(root, copyName);
  if (!existsSync(plan)) return undefined;
  const digest = digestOf(readFileSync(plan));
  const startedFromIt = (session: string) =>
    readPlanSource(join(root, sessionsFolder, session))?.digest === digest;
  return sessionsAt(root).some(startedFromIt) ? undefined : plan;
}

interface ChosenPlan {
  /** Relative to the project's root. */
  readonly plan: string;
  /** The session that it continues; null for a new one. */
  readonly session: string | null;
  /** The plans of other sessions that are not finished. */
  readonly unfinished: readonly string[];
}

export async function choosePlan(
  engine: Engine,
  root: string,
  { file, again }: { readonly file: string; readonly again: boolean },
): Promise<ChosenPlan> {
  const own = realpathSync(file);
  const others = (await unfinishedPlans(engine, root)).filter((one) => realpathSync(one.file) !== own);
  return {
    plan: relative(root, file),
    session: again ? null : (sessionOfPlan(root, file) ?? null),
    unfinished: [...new Set(others.map((one) => relative(root, one.file)))],
  };
}

const othersShown = 3;

export function chosenPlanText({ plan, session, unfinished }: ChosenPlan): string {
  const commands = unfinished.slice(0, othersShown).map((other) => `\`lockstep run ${other}\``);
  const hidden = unfinished.length - commands.length;
  const more = hidden === 0 ? "" : ` and ${hidden} more in \`lockstep session list\``;
  const others = unfinished.length === 0 ? "" : `; also unfinished: ${commands.join(", ")}${more}`;
  return `plan ${plan}, ${session === null ? "a new session" : `session ${session}`}${others}`;
}
