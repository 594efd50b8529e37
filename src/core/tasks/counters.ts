/**
 * The seven retry budgets. They count different things and are never shared: a rejection in review does not use up
 * the retries of a denied dispatch. A limit of N means the first try and N more.
 */
export const retryLimits = {
  /** Retries of a task that a hook denied, each with a changed assignment. */
  block_retries: 1,
  /** Rework after a rejection in review. */
  review_retries: 3,
  /** Repair rounds, counted for each loop of a workflow separately. */
  repair_loops: 3,
  /** Restarts, with the same parameters, of an agent that failed to start or gave no valid answer. */
  dispatch_retries: 2,
  /** Rounds in which an agent fixes what a lifecycle hook found. */
  remediation: 1,
  /** Repeated writes of a file that could not be verified. */
  persist_retries: 3,
  /** Questions that are asked again after an invalid answer; kept in memory only. */
  gate_reasks: 3,
} as const;

export type RetryBudget = keyof typeof retryLimits;
type PlainBudget = Exclude<RetryBudget, "repair_loops">;

export type Counters = Readonly<Record<PlainBudget, number>> & {
  readonly repair_loops: Readonly<Record<string, number>>;
};

export const noRetries: Counters = {
  block_retries: 0,
  review_retries: 0,
  repair_loops: {},
  dispatch_retries: 0,
  remediation: 0,
  persist_retries: 0,
  gate_reasks: 0,
};

/** The counters after one more retry, or undefined if the budget is spent. */
export function spendRetry(counters: Counters, budget: PlainBudget): Counters | undefined {
  const spent = counters[budget];
  return spent >= retryLimits[budget] ? undefined : { ...counters, [budget]: spent + 1 };
}

export function spendRepair(counters: Counters, loop: string): Counters | undefined {
  const spent = Object.hasOwn(counters.repair_loops, loop) ? (counters.repair_loops[loop] ?? 0) : 0;
  if (spent >= retryLimits.repair_loops) return undefined;
  return { ...counters, repair_loops: { ...counters.repair_loops, [loop]: spent + 1 } };
}
