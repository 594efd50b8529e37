/** The eight states of a task (S1). MERGED is the only final state. */
export const taskStates = [
  "PENDING",
  "IN_PROGRESS",
  "REVIEW",
  "MERGED",
  "BLOCKED",
  "REJECTED",
  "FAILED",
  "ESCALATED",
] as const;

export type TaskState = (typeof taskStates)[number];

export interface StateWords {
  /** The party that has to act next. */
  readonly owner: "orchestrator" | "agent" | "orchestrator and reviewer" | "person";
  /** The names in the hook specification (S0), in queues (S2) and in plans (S4). */
  readonly hook: string;
  readonly queue: string;
  readonly plan: string;
}

const words = (owner: StateWords["owner"], hook: string, plan: string, queue: string): StateWords => ({
  owner,
  hook,
  queue,
  plan,
});

/** The name of each state in the other documents. Computed for display, never stored. */
export const stateWords: Readonly<Record<TaskState, StateWords>> = {
  PENDING: words("orchestrator", "todo", "not-started", "incoming"),
  IN_PROGRESS: words("agent", "in_progress", "in-progress", "claimed"),
  REVIEW: words("orchestrator and reviewer", "in_progress", "implemented", "provisional"),
  MERGED: words("orchestrator", "done", "completed", "done"),
  BLOCKED: words("orchestrator", "blocked", "blocked", "blocked"),
  REJECTED: words("orchestrator", "blocked", "in-progress", "incoming"),
  FAILED: words("orchestrator", "failed", "blocked", "blocked"),
  ESCALATED: words("person", "blocked", "blocked", "blocked"),
};

/** Down: no task that depends on this one can continue until a person resolves it. */
export function isDown(state: TaskState): boolean {
  return state === "FAILED" || state === "ESCALATED";
}

export function isTaskState(word: string): word is TaskState {
  return (taskStates as readonly string[]).includes(word);
}
