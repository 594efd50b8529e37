import type { GroupName, Tone } from "../contract/board.ts";
import type { TaskStatus } from "../engine/views/read-status.ts";
import { isMerged, isTaken } from "./task-words.ts";

/**
 * The groups of tasks: first what a task waits for, then how far it is. This is their order on the board. A terminal
 * shows only the first rows of a list, so there what moves comes first (task-order.ts); groups and words are the same.
 */
export const taskGroups: readonly { readonly name: GroupName; readonly title: string }[] = [
  { name: "you", title: "waiting for you" },
  { name: "lock", title: "waiting for a lock" },
  { name: "dependency", title: "waiting for another task" },
  { name: "proof", title: "waiting for proof" },
  { name: "quota", title: "waiting for quota" },
  { name: "slot", title: "waiting to start" },
  { name: "running", title: "running" },
  { name: "review", title: "in review" },
  { name: "merged", title: "merged" },
  { name: "failed", title: "failed" },
];

type Grouped = Pick<TaskStatus, "key" | "state" | "waits" | "alive" | "reverted_by">;

const waitGroups = {
  person: "you",
  lock: "lock",
  dependency: "dependency",
  limit: "quota",
  slot: "slot",
  machine: "slot",
} as const;

/** `approved`: tasks in review whose reviewers have agreed, so that only the proof is left. */
export function groupOf(task: Grouped, approved: ReadonlySet<string>): GroupName {
  const [wait] = task.waits;
  if (wait !== undefined) return waitGroups[wait.on];
  if (isTaken(task)) return "you";
  switch (task.state) {
    case "MERGED":
      return "merged";
    case "FAILED":
      return "failed";
    case "ESCALATED":
      return "you";
    case "REVIEW":
      return approved.has(task.key) ? "proof" : "review";
    case "IN_PROGRESS":
      return "running";
    default:
      return "slot";
  }
}

const tones: Readonly<Record<GroupName, Tone>> = {
  you: "person",
  lock: "wait",
  dependency: "wait",
  proof: "run",
  quota: "wait",
  slot: "quiet",
  running: "run",
  review: "run",
  merged: "good",
  failed: "bad",
};

export function toneOf(task: Grouped, group: GroupName): Tone {
  return task.state === "MERGED" && !isMerged(task) ? "quiet" : tones[group];
}
