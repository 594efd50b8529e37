import type { RunModel } from "./run-model.ts";
import { isMerged } from "./task-words.ts";

type Seen = Pick<RunModel, "tasks" | "decisions">;

/** Whether Lockstep itself is at work on a task that was handed in. */
export function isProving({ tasks, decisions }: Seen): boolean {
  const isAsked = (key: string) => decisions.some(({ task }) => task === key);
  return tasks.some(({ key, state }) => state === "REVIEW" && !isAsked(key));
}

/** Whether what was being proven is decided: the last step of it is no longer under way. */
export function isSettled(before: Seen, now: Seen): boolean {
  const merged = ({ tasks }: Seen) => tasks.filter(isMerged).length;
  return !isProving(now) && (isProving(before) || merged(now) > merged(before));
}
