import type { Details } from "../rules/verdict.ts";
import type { Refusal, Task } from "./task.ts";

/** Why and where a task was halted: by what signal, with its numbers and what was known of the task. */
export interface Halt extends Details {
  readonly signal: string;
  readonly limit?: number | null;
}

/** S1's recovery, step 2: what is known of a task at the moment when it is halted. */
export function haltDetails(task: Task, halt: Halt): Details {
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

/** What `haltDetails` has put into a refusal. */
export function haltIn(refusal: Refusal | null | undefined): Halt | undefined {
  return refusal?.details.halt as Halt | undefined;
}
