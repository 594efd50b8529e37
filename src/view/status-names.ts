import type { TaskStatus } from "../engine/views/read-status.ts";
import { TaskNames } from "./task-names.ts";

/** The short names of the tasks in a status document, which has to be complete. */
export function statusNames(tasks: readonly TaskStatus[]): TaskNames {
  return new TaskNames(tasks.map(({ key, state, created_at: createdAt }) => ({ key, state, createdAt })));
}
