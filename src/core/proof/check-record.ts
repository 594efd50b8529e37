/** One run of a command on one tree. */
export interface CheckRun {
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
}

/**
 * project: the repository's own checks, which must be green on the base. acceptance: what a task has to make
 * true, whatever it was before. proves: must fail on the base, or it shows nothing. manual: a person's word.
 * judgement: the base's own tests on the change.
 */
export type CheckKind = "project" | "acceptance" | "proves" | "manual" | "judgement";

export interface CheckRuns {
  readonly kind: CheckKind;
  /** On the base; null where it was not run there. */
  readonly before: CheckRun | null;
  readonly after: CheckRun;
  /** The second run, after a failure. */
  readonly again: CheckRun | null;
}

export type CheckOutcome = "pass" | "fail" | "flaky" | "vacuous";

export interface CheckRecord extends CheckRuns {
  readonly command: string;
  /** The tree that `after` ran on. */
  readonly tree: string;
  readonly outcome: CheckOutcome;
}

/** A failure that passes the second time is neither: it is flaky, and that is told. */
export function judgeCheck({ kind, before, after, again }: CheckRuns): CheckOutcome {
  if (after.exit !== 0) return again !== null && again.exit === 0 ? "flaky" : "fail";
  return kind === "proves" && before?.exit === 0 ? "vacuous" : "pass";
}
