import type { BudgetSignal } from "../loops/budgets.ts";
import type { FixDelta, Hold, Refusal } from "./task.ts";

/** Everything that can happen to a task. A state changes only through these events. */
export type TaskEvent =
  | {
      readonly type: "start";
      readonly agent: string | null;
      readonly waitingFor: readonly string[];
      /** The machine of the attempt, if the ledger is shared by several. */
      readonly machine?: string;
    }
  | { readonly type: "submit"; readonly hasEvidence: boolean }
  | { readonly type: "merge"; readonly commit: string | null; readonly proof: "claimed" | "proven" }
  | { readonly type: "reject"; readonly fixDelta: FixDelta | null; readonly fingerprint: string }
  | { readonly type: "exhaust" }
  /** The agent reports a blocker outside its task. */
  | { readonly type: "block"; readonly refusal: Refusal; readonly fingerprint: string }
  /** A hook denied the task, or its agent failed. */
  | { readonly type: "deny"; readonly refusal: Refusal; readonly fingerprint: string }
  /** The task cannot start yet: it waits for a lock or a dependency. */
  | { readonly type: "wait"; readonly refusal: Refusal; readonly hold: Hold }
  /** A task that this one depends on failed. */
  | { readonly type: "orphan"; readonly refusal: Refusal; readonly by: string }
  /** The task's runner died, or a person released its locks. */
  | { readonly type: "lose"; readonly reason: string }
  /** A person ends the attempt. Only a person retries the task. */
  | { readonly type: "stop" }
  /** A loop or a spent budget ended the attempt. */
  | { readonly type: "halt"; readonly refusal: Refusal }
  | { readonly type: "retry"; readonly assignmentChanged: boolean }
  | { readonly type: "unblock" }
  | { readonly type: "escalate"; readonly reason: string; readonly recommendation: string | null }
  /** With `more` the task continues with a larger budget; otherwise it starts afresh. */
  | { readonly type: "resolve"; readonly note: string; readonly more?: More }
  | { readonly type: "cancel"; readonly reason: string };

export interface More {
  readonly signal: BudgetSignal;
  readonly amount: number;
}

export type TaskEventType = TaskEvent["type"];
