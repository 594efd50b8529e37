import type { Details } from "../rules/verdict.ts";
import type { Refusal, Task } from "./task.ts";

/** Why a task was halted: the signal with its numbers, and the state of the task at that time. */
export interface Halt extends Details {
  readonly signal: string;
  readonly limit?: number | null;
}

/** Captures the state of a task when it is halted (recovery of S1, step 2). */
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

/** Reads the part of a refusal that `haltDetails` wrote. */
export function haltIn(refusal: Refusal | null | undefined): Halt | undefined {
  return refusal?.details.halt as Halt | undefined;
}
