import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { isMeta } from "../core/session/meta-key.ts";
import type { Engine } from "../engine/engine.ts";
import { sessionOfPlan } from "../workspace/plan/open-session-plan.ts";
import { digestOf, readPlanSource } from "../workspace/plan/plan-source.ts";
import { copyName, sessionsAt, sessionsFolder } from "../workspace/plan/session-folder.ts";

/**
 * `tasks.yaml`, unless it is finished and reads as it did; then the plan of the newest session that is not finished,
 * where it came from if that is still there.
 */
export async function defaultPlan(engine: Pick<Engine, "ledger">, root: string): Promise<string> {
  const unfinished = await unfinishedPlans(engine, root);
  const own = join(root, copyName);
  if (existsSync(own) && (unfinished.includes(realpathSync(own)) || !isTakenIn(root, own))) return copyName;
  return unfinished[0] ?? copyName;
}

/** A session began with what it says now; the repository may have been moved since. */
function isTakenIn(root: string, plan: string): boolean {
  const digest = digestOf(readFileSync(plan));
  return sessionsAt(root).some(
    (session) => readPlanSource(join(root, sessionsFolder, session))?.digest === digest,
  );
}

/** The plans of the sessions that have open tasks, the newest first. */
async function unfinishedPlans({ ledger }: Pick<Engine, "ledger">, root: string): Promise<readonly string[]> {
  const states = ["PENDING", "IN_PROGRESS", "REVIEW", "BLOCKED", "REJECTED", "ESCALATED"] as const;
  const open = (await ledger.tasks({ states })).filter(
    ({ session, key }) => session !== null && !isMeta(key),
  );
  const newest = open.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  const plans = newest.flatMap(({ session }) => {
    const folder = join(root, sessionsFolder, session ?? "");
    const source = existsSync(folder) ? readPlanSource(folder) : undefined;
    if (source !== undefined && existsSync(source.path)) return [source.path];
    return existsSync(join(folder, copyName)) ? [join(folder, copyName)] : [];
  });
  return [...new Set(plans)];
}

interface ChosenPlan {
  /** Relative to the project's root. */
  readonly plan: string;
  /** The session that it goes on with; null for a new one. */
  readonly session: string | null;
  /** The plans of other sessions that are not finished. */
  readonly unfinished: readonly string[];
}

export async function choosePlan(
  engine: Pick<Engine, "ledger">,
  root: string,
  { file, again }: { readonly file: string; readonly again: boolean },
): Promise<ChosenPlan> {
  const own = realpathSync(file);
  const others = (await unfinishedPlans(engine, root)).filter((plan) => realpathSync(plan) !== own);
  return {
    plan: relative(root, file),
    session: again ? null : (sessionOfPlan(root, file) ?? null),
    unfinished: others.map((plan) => relative(root, plan)),
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
