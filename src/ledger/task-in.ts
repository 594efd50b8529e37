import { readAssignment } from "../core/tasks/assignment.ts";
import type { Task } from "../core/tasks/task.ts";

/** The assignment comes from another program, so it is parsed; Lockstep wrote all other fields itself. */
export function taskIn(stored: Task): Task {
  if (stored.assignment == null) return stored;
  const assignment = readAssignment(stored.assignment);
  return assignment === stored.assignment ? stored : { ...stored, assignment };
}
