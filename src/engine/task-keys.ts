import { type Deny, deny } from "../core/rules/verdict.ts";

const nameLengthMax = 100;
const idForm = /^[A-Za-z][A-Za-z0-9_-]*$/;
const sessionForm = /^\d{4}-\d{2}-\d{2}_[a-z0-9][a-z0-9-]*$/;

export interface TaskName {
  readonly key: string;
  readonly id: string;
  readonly session: string | null;
}

/** `T-001`, or `SESSION/T-001`. */
export function readTaskName(text: string): TaskName | Deny {
  const parts = text.trim().split("/");
  const [session, id] = parts.length === 1 ? [null, parts[0]] : parts;
  if (parts.length > 2 || id === undefined || !idForm.test(id) || id.length > nameLengthMax)
    return refused(text, "a letter, then letters, digits, `-` and `_`, at most 100");
  if (
    session !== null &&
    session !== undefined &&
    (!sessionForm.test(session) || session.length > nameLengthMax)
  )
    return refused(text, "before the `/` a session such as `2026-01-31_shop`");
  return { id, session: session ?? null, key: session == null ? id : `${session}/${id}` };
}

function refused(text: string, wanted: string): Deny {
  return deny("R-IN-001", `\`${text.slice(0, nameLengthMax)}\` is no task id: ${wanted}`, {
    field: "task_id",
  });
}
