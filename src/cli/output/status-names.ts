import type { TaskStatus } from "../../engine/views/read-status.ts";
import { TaskNames } from "./task-names.ts";

/** What the tasks of a status document are called; it has to be the whole one. */
export function statusNames(tasks: readonly TaskStatus[]): TaskNames {
  return new TaskNames(tasks.map(({ key, state, created_at: createdAt }) => ({ key, state, createdAt })));
}
