import { type Deny, deny } from "../core/rules/verdict.ts";

export function unknownTask(key: string): Deny {
  return deny("R-IN-001", `there is no task \`${key}\`: see \`lockstep task list\``, { task_id: key });
}
