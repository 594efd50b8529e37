import type { Wait } from "../core/plan/waits.ts";
import { toleratedWord, whyUntested } from "../core/proof/check-record.ts";
import type { TaskState } from "../core/tasks/states.ts";
import { isStringList } from "../core/values/fields.ts";
import type { TaskStatus } from "../engine/views/read-status.ts";
import { clockTime } from "../workspace/process/local-time.ts";
import { shortName } from "./task-names.ts";
import { stateWord } from "./words.ts";

/** The fields of a task that the view shows. */
export type ShownTask = Pick<
  TaskStatus,
  "key" | "title" | "state" | "agent" | "attempts" | "code" | "reason" | "waits" | "reverted_by"
> &
  Partial<Pick<TaskStatus, "details">> & {
    readonly started_at: string | null;
    readonly elapsed_seconds: number | null;
    readonly usage: { readonly tokens: number; readonly cost_usd: number | null };
    readonly alive: {
      readonly lease: string;
      readonly last_heartbeat_at?: string;
      readonly runner_alive?: boolean | null;
      /** Where it runs, if several machines share the ledger. */
      readonly machine_name?: string;
    } | null;
  };

/** `take` holds the lease without a timeout. */
export function isTaken({ state, alive }: Pick<ShownTask, "state" | "alive">): boolean {
  return state === "IN_PROGRESS" && alive?.lease === "held";
}

/** The process that ran the task has ended, and no other one has continued it. */
export function isInterrupted({ state, alive }: Pick<ShownTask, "state" | "alive">): boolean {
  return state === "IN_PROGRESS" && alive?.lease !== "held" && alive?.runner_alive === false;
}

export function isMerged({ state, reverted_by }: Pick<ShownTask, "state" | "reverted_by">): boolean {
  return state === "MERGED" && reverted_by === null;
}

/** An agent works on the task, or its work is being verified. */
export function isWorkedOn({ state }: Pick<ShownTask, "state">): boolean {
  return state === "IN_PROGRESS" || state === "REVIEW";
}

/** The machine that works on the task; undefined if none does, or there is only one. */
export function workedOnAt(task: Pick<ShownTask, "state" | "alive">): string | undefined {
  return isWorkedOn(task) && task.alive?.lease !== "over" ? task.alive?.machine_name : undefined;
}

/** The state in words. */
export function taskWord(task: Pick<ShownTask, "state" | "alive" | "reverted_by">): string {
  if (task.reverted_by !== null) return "rolled back";
  if (isTaken(task)) return "taken";
  return isInterrupted(task) ? "interrupted" : stateWord(task.state);
}

/** The duration of the work so far; after its process has ended, until the last heartbeat. */
export function secondsOf(task: ShownTask, now: number): number | null {
  const { started_at: started, elapsed_seconds: elapsed, alive } = task;
  if (started === null || alive === null || alive.lease === "over") return elapsed;
  const isIdle = alive.runner_alive === false || !isWorkedOn(task);
  const beat = isIdle ? alive.last_heartbeat_at : undefined;
  const end = beat === undefined ? now : Date.parse(beat);
  return Math.max(0, Math.round((end - Date.parse(started)) / 1000));
}

const heldUp = ["BLOCKED", "REJECTED", "FAILED", "ESCALATED"];

type HeldUp = Pick<ShownTask, "state" | "code" | "reason" | "details">;

/** The refusal that holds up a task: its first line, without the output that may follow. */
export function whyOf(task: HeldUp): string {
  const { state, code, reason } = task;
  if (!heldUp.includes(state)) return "";
  const [path, ...others] = strayPaths(task);
  if (path !== undefined) {
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return `${code} the work changes \`${path}\`${more} outside its scope, which may be too small`;
  }
  const [first] = (reason ?? "").split("\n");
  return [code, first].filter(Boolean).join(" ");
}

/** The paths outside its scope that escalated a task: a person can widen the scope, or say what to leave alone. */
export function strayPaths({ state, code, details }: Omit<HeldUp, "reason">): readonly string[] {
  const outside = details?.outside;
  return state === "ESCALATED" && code === "R-PO-002" && isStringList(outside) ? outside : [];
}

/** What a task waits for, if anything; a task of another session is shown by its full name. */
export function waitsText({ key, waits }: Pick<ShownTask, "key" | "waits">): string {
  if (waits.length === 0) return "";
  const session = key.slice(0, key.length - shortName(key).length);
  const nameOf = (other: string) => (other === `${session}${shortName(other)}` ? shortName(other) : other);
  const texts = new Set(waits.map((wait) => waitWords(wait, nameOf)));
  return `waits ${[...texts].slice(0, waitsShown).join(", ")}${texts.size > waitsShown ? ` and ${texts.size - waitsShown} more` : ""}`;
}

const waitsShown = 3;

function waitWords(wait: Wait, nameOf: (key: string) => string): string {
  switch (wait.on) {
    case "person":
      return wait.decision === null ? "for you" : `for you: ${wait.decision}`;
    case "limit":
      return `until ${clockTime(wait.until)}: ${wait.agent} is out of quota`;
    case "slot":
      return "for a free slot";
    case "machine":
      return `for a machine: ${wait.why}`;
    default: {
      const clauses = [
        ...(wait.on === "lock" && wait.resource !== "" ? [`holds ${wait.resource}`] : []),
        ...(wait.waits_for_person ? ["waits for you"] : isDown(wait.state) ? ["failed"] : []),
      ];
      return `for ${nameOf(wait.task)}${clauses.length === 0 ? "" : ` (${clauses.join(", ")})`}`;
    }
  }
}

function isDown(state: TaskState | null): boolean {
  return state === "FAILED" || state === "ESCALATED";
}

/** What holds up a task: another task, else a refusal, else anything else that it waits for. */
export function heldUpText(task: Pick<ShownTask, "key" | "state" | "code" | "reason" | "waits">): string {
  const waits = waitsText(task);
  const isForOther = task.waits.some((wait) => "task" in wait);
  if (!isForOther) return whyOf(task) || waits;
  return [task.state === "BLOCKED" ? task.code : null, waits].filter(Boolean).join(" ");
}

/** The checks that Lockstep itself ran on the merged tree. */
export function proofWords({ proof, evidence }: Pick<TaskStatus, "proof" | "evidence">): string {
  const checks = evidence.map((record) => {
    const { command } = record;
    if (!("after" in record)) return command;
    const failed = (when: "before" | "after") => ![0, null, undefined].includes(record[when]?.exit);
    if (record.kind === "judgement")
      return `${command} with the base's tests${failed("after") ? ` (${toleratedWord(record.before)})` : ""}`;
    if (failed("after")) return `${command} (fails as before)`;
    const remarks = [failed("before") ? "failed before" : undefined, whyUntested(record.after)];
    const said = remarks.filter((remark) => remark !== undefined).join(", ");
    return said === "" ? command : `${command} (${said})`;
  });
  return checks.length === 0 ? (proof ?? "none") : [...new Set(checks)].join("; ");
}

/** `3 merged, 1 in progress`, in the order of the tasks. */
export function countedTasks(
  tasks: readonly Pick<ShownTask, "state" | "alive" | "reverted_by">[],
  wordFor: (task: Pick<ShownTask, "state" | "alive" | "reverted_by">) => string = taskWord,
): string {
  const counts = new Map<string, number>();
  for (const task of tasks) counts.set(wordFor(task), (counts.get(wordFor(task)) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}
