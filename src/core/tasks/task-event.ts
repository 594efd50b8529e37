import type { BudgetSignal } from "../loops/budgets.ts";
import type { FixDelta, Hold, Refusal } from "./task.ts";

/** What can happen to a task. The machine knows no other way to change a state. */
export type TaskEvent =
  | { readonly type: "start"; readonly agent: string | null; readonly waitingFor: readonly string[] }
  | { readonly type: "submit"; readonly hasEvidence: boolean }
  | { readonly type: "merge"; readonly commit: string | null; readonly proof: "claimed" | "proven" }
  | { readonly type: "reject"; readonly fixDelta: FixDelta | null; readonly fingerprint: string }
  | { readonly type: "exhaust" }
  /** The agent says that something outside its task stops it. */
  | { readonly type: "block"; readonly refusal: Refusal; readonly fingerprint: string }
  /** A hook, or the agent's own failure, refused the task. */
  | { readonly type: "deny"; readonly refusal: Refusal; readonly fingerprint: string }
  /** It cannot start yet, through no fault of its own. */
  | { readonly type: "wait"; readonly refusal: Refusal; readonly hold: Hold }
  /** A task that this one depends on failed. */
  | { readonly type: "orphan"; readonly refusal: Refusal; readonly by: string }
  /** Its runner died, or a person released its locks. */
  | { readonly type: "lose"; readonly reason: string }
  /** A person ends the attempt, and brings the task back when it is time. */
  | { readonly type: "stop" }
  /** A loop or a budget ended it. */
  | { readonly type: "halt"; readonly refusal: Refusal }
  | { readonly type: "retry"; readonly assignmentChanged: boolean }
  | { readonly type: "unblock" }
  | { readonly type: "escalate"; readonly reason: string; readonly recommendation: string | null }
  /** `more`: nothing begins afresh, it only gets more of what it has used up. */
  | { readonly type: "resolve"; readonly note: string; readonly more?: More }
  | { readonly type: "cancel"; readonly reason: string };

export interface More {
  readonly signal: BudgetSignal;
  readonly amount: number;
}

export type TaskEventType = TaskEvent["type"];
