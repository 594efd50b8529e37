import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMeta } from "../core/session/meta-key.ts";
import type { Engine } from "../engine/engine.ts";
import { readPlanSource } from "../workspace/plan/plan-source.ts";
import { copyName, sessionsFolder } from "../workspace/plan/session-folder.ts";

/** The plan of the newest session that is not finished, where it came from if that is still there; else `tasks.yaml`. */
export async function defaultPlan({ ledger }: Pick<Engine, "ledger">, root: string): Promise<string> {
  const states = ["PENDING", "IN_PROGRESS", "REVIEW", "BLOCKED", "REJECTED", "ESCALATED"] as const;
  const open = (await ledger.tasks({ states })).filter(
    ({ session, key }) => session !== null && !isMeta(key),
  );
  for (const { session } of open.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))) {
    const folder = join(root, sessionsFolder, session ?? "");
    const source = existsSync(folder) ? readPlanSource(folder) : undefined;
    if (source !== undefined && existsSync(source.path)) return source.path;
    if (existsSync(join(folder, copyName))) return join(folder, copyName);
  }
  return "tasks.yaml";
}
