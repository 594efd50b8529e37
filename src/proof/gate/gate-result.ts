/** The six checks of the integration gate (S1 section 3). */
export type GateCheck = "file_conflict" | "cross_reference" | "tests" | "syntax" | "conventions" | "imports";

/** Who acts on an outcome: nobody, the tasks one after the other, QA, or the agent whose change it was. */
type GateRoute = "proceed" | "serial" | "qa" | "origin";

export interface GateFinding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
  /** The convention that was broken. */
  readonly rule?: string;
  /** The tasks that the finding goes back to, as far as the changes name them. */
  readonly tasks?: readonly string[];
}

export interface GateResult {
  readonly check: GateCheck;
  readonly result: "pass" | "fail" | "not_configured";
  readonly findings: readonly GateFinding[];
  readonly route: GateRoute;
  readonly note?: string;
  /** Of a command that failed: what tells why, and the file that has all that it printed. */
  readonly output?: string;
  readonly log?: string;
}

/** S1's table of outcomes; it has no row for imports and cross-references, which go where syntax goes. */
const routeOnFailure: Readonly<Record<GateCheck, GateRoute>> = {
  file_conflict: "serial",
  tests: "qa",
  syntax: "origin",
  conventions: "origin",
  imports: "origin",
  cross_reference: "origin",
};

const findingsMax = 200;

/** Fails with findings, passes without. */
export function gateResult(
  check: GateCheck,
  findings: readonly GateFinding[],
  notes: readonly string[] = [],
): GateResult {
  const left = findings.length - findingsMax;
  const told = left > 0 ? [...notes, `${left} more findings are left out`] : notes;
  return {
    check,
    result: findings.length > 0 ? "fail" : "pass",
    findings: findings.slice(0, findingsMax),
    route: findings.length > 0 ? routeOnFailure[check] : "proceed",
    ...(told.length > 0 ? { note: told.join("; ") } : {}),
  };
}

/** A check that had nothing to go by: no pass, and said so. */
export function notConfigured(check: GateCheck, note: string): GateResult {
  return { check, result: "not_configured", findings: [], route: "proceed", note };
}

const namedMax = 5;

/** `3 files (a.ts, b.ts, c.ts)`; of many only the first few by name. */
export function countedNames(what: string, names: readonly string[]): string {
  const shown = names.slice(0, namedMax).join(", ");
  return `${names.length} ${what}${names.length === 1 ? "" : "s"} (${shown}${names.length > namedMax ? ", …" : ""})`;
}
