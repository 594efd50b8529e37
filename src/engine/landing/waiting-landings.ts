import { branchOf } from "../../core/names/ref-names.ts";
import type { Task } from "../../core/tasks/task.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { Survey } from "../../ledger/ledger.ts";

/** A branch whose merge was requested, and what must be done first. */
export interface WaitingLanding {
  readonly branch: string;
  readonly code: string;
  readonly reason: string;
  readonly at: string;
  /** Repeats the landing with the same options; older events do not have it. */
  readonly command?: string;
}

/** Merges that wait for a person but not for a decision, which is listed separately. Newest first. */
export function waitingLandings(
  events: Survey["events"],
  tasks: ReadonlyMap<string, Task>,
): readonly WaitingLanding[] {
  const landedAt = new Map<string, number>();
  for (const { task, seq } of events["task.merged"]) {
    const found = tasks.get(task ?? "");
    if (found === undefined) continue;
    for (const branch of [found.assignment?.branch, branchOf(found.id)])
      if (branch != null && !landedAt.has(branch)) landedAt.set(branch, seq);
  }
  const seen = new Set<string>();
  return events["land.refused"].flatMap((event): WaitingLanding[] => {
    const { branch, refusal, waiting, decision, command } = dataOf(event, "land.refused") ?? {};
    if (branch === undefined || refusal === undefined || seen.has(branch)) return [];
    seen.add(branch);
    const isOver = (landedAt.get(branch) ?? 0) > event.seq;
    if (isOver || waiting !== true || decision !== undefined) return [];
    const again = command === undefined ? {} : { command };
    return [{ branch, code: refusal.code, reason: refusal.reason, at: event.at, ...again }];
  });
}
