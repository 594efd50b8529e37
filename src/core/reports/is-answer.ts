import { questions } from "../names/roles.ts";
import { field, isObject, isText } from "../values/fields.ts";

const agentWords: readonly unknown[] = ["OK", "BLOCKED", "FAIL"];
/** Words that are common in logs too. */
const commonWords: readonly unknown[] = ["done", "blocked", "failed", "complete", "needs_review"];

/** Keys that appear next to `status` in the forms of an answer. */
const parts = [
  ...["summary", "artifacts", "gates", "next", "reason", "task_id", "taskId"],
  ...["changes", "acceptance_check", "worklog_path", "notes_for_orchestrator"],
  ...["deliverable", "evidence", "blockers"],
];
const errorParts = ["taskId", "task_id", "errorType", "attemptedFix", "retryCount", "recommendation"];

export function isAgentStatus(status: unknown): boolean {
  return agentWords.includes(status);
}

/**
 * Whether an object is meant as an answer, valid or not. Programs also print other JSON, such as log lines and
 * progress, which says nothing about the task.
 */
export function isAnswer(object: unknown): boolean {
  if (!isObject(object)) return false;
  const holds = (name: string, keys: readonly string[]) => hasSome(field(object, name), keys);
  if (holds("result", ["status", ...parts]) || holds("error", errorParts)) return true;
  if (isObject(field(object, "escalation"))) return true;
  const status = field(object, "status");
  if (isAgentStatus(status) || (isText(status) && Object.hasOwn(questions, status))) return true;
  const isAlone = Object.keys(object).length === 1;
  return isText(status) && (hasSome(object, parts) || (isAlone && commonWords.includes(status)));
}

function hasSome(of: unknown, keys: readonly string[]): boolean {
  return isObject(of) && keys.some((key) => field(of, key) !== undefined);
}
