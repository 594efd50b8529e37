/** The eight states of a task (S1). MERGED is the only one that nothing leaves. */
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
  /** Who has to act next. */
  readonly owner: "orchestrator" | "agent" | "orchestrator and reviewer" | "person";
  /** The words of the hook specification (S0), of queues (S2) and of plans (S4). */
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

/** What the other documents call each state. Computed from here wherever it is shown, never stored. */
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

/** Down: nothing that depends on the task can go on until somebody resolves it. */
export function isDown(state: TaskState): boolean {
  return state === "FAILED" || state === "ESCALATED";
}

export function isTaskState(word: string): word is TaskState {
  return (taskStates as readonly string[]).includes(word);
}
