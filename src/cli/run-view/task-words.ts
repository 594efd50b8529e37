import { field } from "../../core/points/fields.ts";
import type { TaskStatus } from "../../engine/read-status.ts";
import { shortName } from "../task-names.ts";
import { stateWord } from "./words.ts";

/** What is shown of a task; the status document has more. */
export type ShownTask = Pick<
  TaskStatus,
  "id" | "title" | "state" | "agent" | "attempts" | "code" | "reason" | "waiting_for" | "reverted_by"
> & {
  readonly started_at: string | null;
  readonly elapsed_seconds: number | null;
  readonly usage: { readonly tokens: number; readonly cost_usd: number | null };
  readonly alive: {
    readonly lease: string;
    readonly last_heartbeat_at?: string;
    readonly runner_alive?: boolean | null;
  } | null;
};

/** `take` keeps the lock without a clock. */
export function isTaken({ state, alive }: Pick<ShownTask, "state" | "alive">): boolean {
  return state === "IN_PROGRESS" && alive?.lease === "held";
}

/** Whoever ran it is gone, and nobody has gone on with it yet. */
export function isInterrupted({ state, alive }: Pick<ShownTask, "state" | "alive">): boolean {
  return state === "IN_PROGRESS" && alive?.lease !== "held" && alive?.runner_alive === false;
}

export function isMerged({ state, reverted_by }: Pick<ShownTask, "state" | "reverted_by">): boolean {
  return state === "MERGED" && reverted_by === null;
}

/** Somebody works on it, or on what it made. */
export function isWorkedOn({ state }: Pick<ShownTask, "state">): boolean {
  return state === "IN_PROGRESS" || state === "REVIEW";
}

/** What a person would say that it is. */
export function taskWord(task: Pick<ShownTask, "state" | "alive" | "reverted_by">): string {
  if (task.reverted_by !== null) return "rolled back";
  if (isTaken(task)) return "taken";
  return isInterrupted(task) ? "interrupted" : stateWord(task.state);
}

/** For how long it has been worked on; where nobody does any more, until the last sign of life. */
export function secondsOf(task: ShownTask, now: number): number | null {
  const { started_at: started, elapsed_seconds: elapsed, alive } = task;
  if (started === null || alive === null || alive.lease === "over") return elapsed;
  const isIdle = alive.runner_alive === false || !isWorkedOn(task);
  const beat = isIdle ? alive.last_heartbeat_at : undefined;
  const end = beat === undefined ? now : Date.parse(beat);
  return Math.max(0, Math.round((end - Date.parse(started)) / 1000));
}

const heldUp = ["BLOCKED", "REJECTED", "FAILED", "ESCALATED"];

/** The refusal that holds a task up, without the output that may come after its first line. */
export function whyOf({ state, code, reason }: Pick<ShownTask, "state" | "code" | "reason">): string {
  if (!heldUp.includes(state)) return "";
  const [first] = (reason ?? "").split("\n");
  return [code, first].filter(Boolean).join(" ");
}

/** What a task waits for, if anything; a task of another session has its whole name. */
export function waitsText({ id, waiting_for: others }: Pick<ShownTask, "id" | "waiting_for">): string {
  const session = id.slice(0, id.length - shortName(id).length);
  const names = others.map((key) => (key === `${session}${shortName(key)}` ? shortName(key) : key));
  return names.length === 0 ? "" : `waits for ${names.join(", ")}`;
}

/** The checks that Lockstep itself ran on the merged tree. */
export function proofWords({ proof, evidence }: Pick<TaskStatus, "proof" | "evidence">): string {
  const checks = evidence.map((record) => {
    const command = String(field(record, "command") ?? "a check");
    const failed = (when: "before" | "after") => ![0, undefined].includes(exitOf(field(record, when)));
    if (field(record, "kind") === "judgement")
      return `${command} with the base's tests${failed("after") ? " (fails, accepted by a person)" : ""}`;
    if (failed("after")) return `${command} (fails as before)`;
    return failed("before") ? `${command} (failed before)` : command;
  });
  return checks.length === 0 ? (proof ?? "none") : [...new Set(checks)].join("; ");
}

function exitOf(run: unknown): number | undefined {
  const exit = field(run, "exit");
  return typeof exit === "number" ? exit : undefined;
}

/** `3 merged, 1 in progress`, in the order that they come in. */
export function countedTasks(
  tasks: readonly Pick<ShownTask, "state" | "alive" | "reverted_by">[],
  wordFor: (task: Pick<ShownTask, "state" | "alive" | "reverted_by">) => string = taskWord,
): string {
  const counts = new Map<string, number>();
  for (const task of tasks) counts.set(wordFor(task), (counts.get(wordFor(task)) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}
