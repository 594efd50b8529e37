import { branchOf } from "../core/names/ref-names.ts";
import { field } from "../core/points/fields.ts";
import type { Task } from "../core/tasks/task.ts";
import type { Survey } from "../ledger/ledger.ts";

/** A branch that a person wanted to land, and what has to be done first. */
export interface WaitingLanding {
  readonly branch: string;
  readonly code: string;
  readonly reason: string;
  readonly at: string;
}

/** Landings that wait for a person without a question: a decision tells of itself. The newest first. */
export function waitingLandings(
  events: Survey["events"],
  tasks: ReadonlyMap<string, Task>,
): readonly WaitingLanding[] {
  const landedAt = new Map<string, number>();
  for (const { task, seq } of events["task.merged"]) {
    const found = tasks.get(task ?? "");
    if (found === undefined) continue;
    for (const branch of [found.assignment?.branch, branchOf(found.id)])
      if (typeof branch === "string" && !landedAt.has(branch)) landedAt.set(branch, seq);
  }
  const seen = new Set<string>();
  return events["land.refused"].flatMap(({ seq, at, data }): WaitingLanding[] => {
    const [branch, refusal] = [field(data, "branch"), field(data, "refusal")];
    if (typeof branch !== "string" || seen.has(branch)) return [];
    seen.add(branch);
    const isOver = (landedAt.get(branch) ?? 0) > seq;
    if (isOver || field(data, "waiting") !== true || field(data, "decision") !== undefined) return [];
    return [{ branch, code: String(field(refusal, "code")), reason: String(field(refusal, "reason")), at }];
  });
}
