import type { TestCount } from "./inventory.ts";

/** One run of a command on one tree. */
export interface CheckRun {
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
  /** Absent if no runner reported its tests. */
  readonly tests?: TestCount;
  /** For a failure: the part of the output that shows the cause, and the file with all of it. */
  readonly excerpt?: string;
  readonly log?: string;
  /** The machine that ran it, if several prove together. */
  readonly machine?: string;
  /** For a pass: an earlier failure on the same tree. */
  readonly earlier?: EarlierFailure;
}

export interface EarlierFailure extends Omit<CheckRun, "earlier"> {
  readonly at: string;
}

/**
 * project: the repository's own checks, which must pass on the base. acceptance: must pass after the task, whatever
 * the result on the base. proves: must fail on the base and pass after the task. manual: confirmed by a person.
 * judgement: the base's own tests on the change.
 */
export type CheckKind = "project" | "acceptance" | "proves" | "manual" | "judgement";

export interface CheckRuns {
  readonly kind: CheckKind;
  /** On the base; null if not run there. */
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

/** A check that both failed and passed on one tree is flaky, in either order. */
export function judgeCheck({ kind, before, after, again }: CheckRuns): CheckOutcome {
  if (after.exit !== 0) return again !== null && again.exit === 0 ? "flaky" : "fail";
  if (after.earlier !== undefined) return "flaky";
  return kind === "proves" && (before?.exit === 0 || after.tests?.ran === 0) ? "vacuous" : "pass";
}

/** A check that fails on work that is merged all the same: the base fails too, or the failure was accepted. */
export function toleratedWord(before: Pick<CheckRun, "exit"> | null | undefined): string {
  return [0, null, undefined].includes(before?.exit) ? "fails, accepted" : "fails as before";
}

/** For a pass that is known to have run no test: why. */
export function whyUntested({ exit, tests }: Pick<CheckRun, "exit" | "tests">): string | undefined {
  if (exit !== 0 || tests === undefined || tests.ran > 0) return undefined;
  if (tests.skipped === 0) return "no tests ran";
  return tests.skipped === 1 ? "its only test was skipped" : `all ${tests.skipped} tests were skipped`;
}

/** A check that passed without running a test. */
export interface Untested {
  readonly command: string;
  readonly why: string;
}

/** The checks among these records that passed without running a test, each once. */
export function untestedIn(
  records: readonly (Pick<CheckRecord, "command" | "kind" | "after"> | { readonly command: string })[],
): readonly Untested[] {
  const found = records.flatMap((record) => {
    // The judgement repeats the checks of the base.
    const why = "after" in record && record.kind !== "judgement" ? whyUntested(record.after) : undefined;
    return why === undefined ? [] : [[record.command, why] as const];
  });
  return [...new Map(found)].map(([command, why]) => ({ command, why }));
}

/** The warning about such a check. */
export function untestedText({ command, why }: Untested): string {
  return `\`${command}\` passed, but ${why}, so it verified nothing`;
}

/** A failed run of a check, if any: on the tree itself, otherwise an earlier one or one on the base. */
export function failedRun({
  before,
  after,
  again,
}: Omit<CheckRuns, "kind">): Omit<CheckRun, "earlier"> | undefined {
  const runs = [after, again, after.earlier, before, before?.earlier];
  return runs.find((run) => run != null && run.exit !== 0) ?? undefined;
}

/** The output of a failed check that shows the cause. */
export function outputOf({ excerpt, tail }: Pick<CheckRun, "excerpt" | "tail">): string {
  return excerpt ?? tail;
}

/** For records that may leave this machine, where its files cannot be read. */
export function withoutLogs<Record extends CheckRuns>(record: Record): Record {
  const bare = <Run extends CheckRun | null>(run: Run): Run => {
    if (run === null) return run;
    const { log: _log, excerpt: _excerpt, earlier, ...rest } = run;
    return { ...rest, ...(earlier === undefined ? {} : { earlier: bare(earlier as CheckRun) }) } as Run;
  };
  return { ...record, before: bare(record.before), after: bare(record.after), again: bare(record.again) };
}
