import type { Task } from "../../src/core/tasks/task.ts";
import { newTask } from "../../src/engine/dispatch/new-task.ts";

/** A task in some state that a ledger contains, otherwise like a new one. */
export function sampleTask(changes: Partial<Task> = {}): Task {
  const name = { key: "T-1", id: "T-1", session: null };
  return { ...newTask(name, "2026-01-01T00:00:00.000Z"), version: 1, ...changes };
}
