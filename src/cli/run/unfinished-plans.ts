import { existsSync } from "node:fs";
import { join } from "node:path";
import { copyName, sessionsFolder } from "../../core/names/session-paths.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { readStatus, type TaskStatus } from "../../engine/views/read-status.ts";
import { sessionOfPlan } from "../../workspace/plan/open-session-plan.ts";
import { readPlanSource } from "../../workspace/plan/plan-source.ts";

export interface UnfinishedPlan {
  readonly session: string;
  /** The file that the plan came from if it still exists, else the session's copy. */
  readonly file: string;
  /** A run could advance it now: at least one task waits neither for a person nor for another task. */
  readonly canMove: boolean;
}

/** The plans of sessions with tasks that are neither merged nor failed, the newest first. */
export async function unfinishedPlans(engine: Engine, root: string): Promise<readonly UnfinishedPlan[]> {
  const { tasks } = await readStatus(engine);
  const open = tasks.filter(({ key, state, archived }) => key.includes("/") && !archived && !isOver(state));
  const newest = open.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
  const bySession = Map.groupBy(newest, ({ key }) => key.slice(0, key.lastIndexOf("/")));
  const found: UnfinishedPlan[] = [];
  for (const [session, own] of bySession) {
    const file = planFile(root, session);
    // Sessions of `start` are continued by `resume`.
    const workflow = await engine.ledger.session(session);
    const canMove = (workflow === undefined || workflow.state === "DONE") && own.some(isFree);
    if (file !== undefined) found.push({ session, file, canMove });
  }
  return found;
}

function isOver(state: TaskStatus["state"]): boolean {
  return state === "MERGED" || state === "FAILED";
}

/** A run could continue it: at most it waits for a free slot or a usage limit. */
function isFree({ waits }: TaskStatus): boolean {
  return waits.every(({ on }) => on === "slot" || on === "limit" || on === "machine");
}

function planFile(root: string, session: string): string | undefined {
  const folder = join(root, sessionsFolder, session);
  const copy = join(folder, copyName);
  const source = existsSync(folder) ? readPlanSource(folder) : undefined;
  // A plan that was started again belongs to the newer session.
  if (source !== undefined && existsSync(source.path) && sessionOfPlan(root, source.path) === session)
    return source.path;
  return existsSync(copy) ? copy : undefined;
}
