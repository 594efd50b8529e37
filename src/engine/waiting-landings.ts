import { branchOf } from "../core/names/ref-names.ts";
import { field } from "../core/points/fields.ts";
import type { Engine } from "./engine.ts";

/** A branch that a person wanted to land, and what has to be done first. */
export interface WaitingLanding {
  readonly branch: string;
  readonly code: string;
  readonly reason: string;
  readonly at: string;
}

const lookedAtMax = 200;

/** Landings that wait for a person without a question: a decision tells of itself. The newest first. */
export async function waitingLandings({
  ledger,
}: Pick<Engine, "ledger">): Promise<readonly WaitingLanding[]> {
  const newest = { newestFirst: true, limit: lookedAtMax };
  const refused = await ledger.events({ type: "land.refused", ...newest });
  const merged = await ledger.events({ type: "task.merged", ...newest });
  const landedAt = new Map<string, number>();
  for (const { task, seq } of merged) {
    const found = task === null ? undefined : await ledger.task(task);
    if (found === undefined) continue;
    for (const branch of [field(found.assignment, "branch"), branchOf(found.id)])
      if (typeof branch === "string" && !landedAt.has(branch)) landedAt.set(branch, seq);
  }
  const seen = new Set<string>();
  return refused.flatMap(({ seq, at, data }): WaitingLanding[] => {
    const [branch, refusal] = [field(data, "branch"), field(data, "refusal")];
    if (typeof branch !== "string" || seen.has(branch)) return [];
    seen.add(branch);
    const isOver = (landedAt.get(branch) ?? 0) > seq;
    if (isOver || field(data, "waiting") !== true || field(data, "decision") !== undefined) return [];
    return [{ branch, code: String(field(refusal, "code")), reason: String(field(refusal, "reason")), at }];
  });
}
