/** One run of a command on one tree. */
export interface CheckRun {
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
  /** Of a failure: the part of its output that tells why, and the file that has all of it. */
  readonly excerpt?: string;
  readonly log?: string;
  /** Of a pass: the failure on the same tree that was seen before it. */
  readonly earlier?: EarlierFailure;
}

export interface EarlierFailure extends Omit<CheckRun, "earlier"> {
  readonly at: string;
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

/** What failed and passed on one tree is neither, in whatever order it came: it is flaky, and that is told. */
export function judgeCheck({ kind, before, after, again }: CheckRuns): CheckOutcome {
  if (after.exit !== 0) return again !== null && again.exit === 0 ? "flaky" : "fail";
  if (after.earlier !== undefined) return "flaky";
  return kind === "proves" && before?.exit === 0 ? "vacuous" : "pass";
}

/** The run of a check that failed, where one did: on the tree itself, or else before. */
export function failedRun({
  before,
  after,
  again,
}: Omit<CheckRuns, "kind">): Omit<CheckRun, "earlier"> | undefined {
  const runs = [after, again, after.earlier, before, before?.earlier];
  return runs.find((run) => run != null && run.exit !== 0) ?? undefined;
}

/** What a failed check printed, as far as it tells why. */
export function outputOf({ excerpt, tail }: Pick<CheckRun, "excerpt" | "tail">): string {
  return excerpt ?? tail;
}

/** For places that may leave this machine, where no file of it can be read. */
export function withoutLogs<Record extends CheckRuns>(record: Record): Record {
  const bare = <Run extends CheckRun | null>(run: Run): Run => {
    if (run === null) return run;
    const { log: _log, excerpt: _excerpt, earlier, ...rest } = run;
    return { ...rest, ...(earlier === undefined ? {} : { earlier: bare(earlier as CheckRun) }) } as Run;
  };
  return { ...record, before: bare(record.before), after: bare(record.after), again: bare(record.again) };
}
