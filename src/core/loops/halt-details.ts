import type { Details } from "../rules/verdict.ts";
import type { Task } from "../tasks/task.ts";

/** S1's recovery, step 2: what is known of a task at the moment when it is halted. */
export function haltDetails(task: Task, halt: Details & { readonly signal: string }): Details {
  const { fixDelta, streak } = task;
  const captured = {
    attempt: task.attempts,
    tokens: task.tokens,
    cost_usd: task.usage?.costUsd ?? null,
    review_retries: task.counters.review_retries,
    last_refusal: fixDelta === null ? null : { code: fixDelta.code, reason: fixDelta.reason },
    error_fingerprint: streak?.fingerprint ?? null,
  };
  return { halt: { ...halt, captured } };
}
