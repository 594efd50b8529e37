/** The checks of the integration gate (S1 section 3). */
export type GateCheck = "file_conflict" | "cross_reference" | "tests" | "syntax" | "conventions" | "imports";

/** Where an outcome goes: on to the merge, to the tasks one after the other, to QA, or to the agent of the change. */
type GateRoute = "proceed" | "serial" | "qa" | "origin";

export interface GateFinding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
  /** The convention that was broken. */
  readonly rule?: string;
  /** The tasks that changed the files of the finding, if known. */
  readonly tasks?: readonly string[];
}

export interface GateResult {
  readonly check: GateCheck;
  /** skipped: no file of the change could be checked. not_configured: there are no rules or commands for the check. */
  readonly result: "pass" | "fail" | "skipped" | "not_configured";
  readonly findings: readonly GateFinding[];
  readonly route: GateRoute;
  readonly note?: string;
  /** For a failed command: the part of its output that shows why. `log` is the file with the whole output. */
  readonly output?: string;
  readonly log?: string;
}

/** S1's table of outcomes. It has no row for imports and cross-references, which are treated like syntax. */
const routeOnFailure: Readonly<Record<GateCheck, GateRoute>> = {
  file_conflict: "serial",
  tests: "qa",
  syntax: "origin",
  conventions: "origin",
  imports: "origin",
  cross_reference: "origin",
};

interface Judgement {
  readonly findings: readonly GateFinding[];
  readonly notes: readonly string[];
}

const findingsMax = 200;

/** Fails with findings, passes without. */
export function gateResult(
  check: GateCheck,
  findings: readonly GateFinding[],
  notes: readonly string[] = [],
): GateResult {
  const left = findings.length - findingsMax;
  const allNotes = left > 0 ? [...notes, `${left} more findings are left out`] : notes;
  return {
    check,
    result: findings.length > 0 ? "fail" : "pass",
    findings: findings.slice(0, findingsMax),
    route: findings.length > 0 ? routeOnFailure[check] : "proceed",
    ...(allNotes.length > 0 ? { note: allNotes.join("; ") } : {}),
  };
}

/** As `gateResult`, but a check that read no file is skipped and has not passed. */
export function judged(
  check: GateCheck,
  { findings, notes, looked }: Judgement & { readonly looked: boolean },
): GateResult {
  if (looked || findings.length > 0) return gateResult(check, findings, notes);
  const why = notes.length > 0 ? notes : ["no changed file to check"];
  return { ...gateResult(check, [], why), result: "skipped" };
}

/** The result of a check without rules or commands. It does not count as a pass. */
export function notConfigured(check: GateCheck, note: string): GateResult {
  return { check, result: "not_configured", findings: [], route: "proceed", note };
}

const namedMax = 5;

/** `3 files (a.ts, b.ts, c.ts)`; if there are many, only the first few names. */
export function countedNames(what: string, names: readonly string[]): string {
  const shown = names.slice(0, namedMax).join(", ");
  return `${names.length} ${what}${names.length === 1 ? "" : "s"} (${shown}${names.length > namedMax ? ", …" : ""})`;
}

/** `.py (3), Makefile (1)`. */
export function countedEndings(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const ending = /.(\.[^.]+)$/.exec(name)?.[1] ?? name;
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  return [...counts].map(([ending, count]) => `${ending} (${count})`).join(", ");
}
