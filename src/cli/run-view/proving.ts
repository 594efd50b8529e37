import { isMerged } from "../../view/task-words.ts";
import type { RunModel } from "./run-model.ts";

type Seen = Pick<RunModel, "tasks" | "decisions">;

/** Whether Lockstep is verifying a task that was handed in. */
export function isProving({ tasks, decisions }: Seen): boolean {
  const isAsked = (key: string) => decisions.some(({ task }) => task === key);
  return tasks.some(({ key, state }) => state === "REVIEW" && !isAsked(key));
}

/** Whether verification has ended since `before`, so that its last step need not be shown any more. */
export function hasFinishedProving(before: Seen, now: Seen): boolean {
  const merged = ({ tasks }: Seen) => tasks.filter(isMerged).length;
  return !isProving(now) && (isProving(before) || merged(now) > merged(before));
}
